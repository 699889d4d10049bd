import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** A workspace folder: files named with `prefix` lie below `folder`. */
export interface SourceRoot {
  /** Empty, or a folder's name and `/` where a workspace has several folders. */
  prefix: string;
  folder: string;
}

/** No source that a person wrote is larger. */
const MOST_BYTES = 4 << 20;

/**
 * Looks up lines of workspace files by the names that reports use. Files are read when first asked for, and kept: make
 * a new one for every report.
 */
export function sourceLines(roots: readonly SourceRoot[]): (file: string, line: number) => string | null {
  const files = new Map<string, readonly string[]>();
  const linesOf = (file: string): readonly string[] => {
    const root = roots.find(({ prefix }) => file.startsWith(prefix));
    if (root === undefined) return [];
    try {
      const path = join(root.folder, file.slice(root.prefix.length));
      const facts = statSync(path);
      return facts.isFile() && facts.size <= MOST_BYTES ? readFileSync(path, 'utf8').split(/\r\n|\r|\n/) : [];
    } catch {
      return [];
    }
  };
  return (file, line) => {
    let lines = files.get(file);
    if (lines === undefined) {
      lines = linesOf(file);
      files.set(file, lines);
    }
    return lines[line - 1] ?? null;
  };
}
