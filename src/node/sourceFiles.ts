import { createHash } from 'node:crypto';
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

interface SourceFile {
  lines: readonly string[];
  facts: { sha256: string; savedAtUs: number };
}

/**
 * Looks up workspace files by the names that reports use. Files are read when first asked for, and kept: make a new one
 * for every report.
 */
export class SourceFiles {
  private readonly files = new Map<string, SourceFile | null>();

  constructor(private readonly roots: readonly SourceRoot[]) {}

  /** The text of a 1-based line, null where it cannot be had. */
  readonly lineText = (file: string, line: number): string | null => this.file(file)?.lines[line - 1] ?? null;

  /** SHA-256 of a file's bytes and when they were written, null where it cannot be had. */
  readonly sourceFacts = (file: string): SourceFile['facts'] | null => this.file(file)?.facts ?? null;

  private file(name: string): SourceFile | null {
    let file = this.files.get(name);
    if (file === undefined) {
      file = this.read(name);
      this.files.set(name, file);
    }
    return file;
  }

  private read(name: string): SourceFile | null {
    const root = this.roots.find(({ prefix }) => name.startsWith(prefix));
    if (root === undefined) return null;
    try {
      const path = join(root.folder, name.slice(root.prefix.length));
      const stats = statSync(path);
      if (!stats.isFile() || stats.size > MOST_BYTES) return null;
      const bytes = readFileSync(path);
      return {
        lines: bytes.toString('utf8').split(/\r\n|\r|\n/),
        facts: { sha256: createHash('sha256').update(bytes).digest('hex'), savedAtUs: stats.mtimeMs * 1000 },
      };
    } catch {
      return null;
    }
  }
}
