import type { WorkspaceRoot } from '../core/attribution/paths/pathMapping.js';
import { getOrAdd } from '../core/maps.js';
import { createHash } from 'node:crypto';
import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { isWithin } from './walkFiles.js';

/** No source that a person wrote is larger. */
const MAX_BYTES = 4 << 20;
/** Maximum number of files that are remembered. */
const MAX_FILES = 1000;

interface SourceFile {
  size: number;
  mtimeMs: number;
  text: string;
  /** Split on first use. */
  lines: readonly string[] | null;
  facts: { sha256: string; savedAtUs: number };
}

/** Source files that were read: each is read again only when its size or its time has changed. */
export class SourceCache {
  private readonly files = new Map<string, SourceFile>();

  /** A file of the disk, null if unreadable. */
  read(path: string): SourceFile | null {
    try {
      const stats = statSync(path);
      if (!stats.isFile() || stats.size > MAX_BYTES) return null;
      const known = this.files.get(path);
      if (known?.size === stats.size && known.mtimeMs === stats.mtimeMs) return known;
      const bytes = bytesOf(path, stats.size);
      const file: SourceFile = {
        size: stats.size,
        mtimeMs: stats.mtimeMs,
        text: pythonText(bytes),
        lines: null,
        facts: { sha256: createHash('sha256').update(bytes).digest('hex'), savedAtUs: stats.mtimeMs * 1000 },
      };
      this.files.delete(path);
      this.files.set(path, file);
      const [oldest] = this.files.keys();
      if (this.files.size > MAX_FILES) this.files.delete(oldest);
      return file;
    } catch {
      return null;
    }
  }
}

/** The first bytes of a file: files of the kernel have size 0, and may be endless, or wait. */
function bytesOf(path: string, size: number): Buffer {
  const bytes = Buffer.alloc(size);
  const file = openSync(path, 'r');
  try {
    let filled = 0;
    for (let got = -1; got !== 0 && filled < size; filled += got)
      got = readSync(file, bytes, filled, size - filled, filled);
    return bytes.subarray(0, filled);
  } finally {
    closeSync(file);
  }
}

/**
 * Finds workspace files by the names in reports. A file is read once: create a new object for each report, over one
 * cache.
 */
export class SourceFiles {
  private readonly files = new Map<string, SourceFile | null>();

  /** @param texts of code without a file, by name */
  constructor(
    private readonly roots: readonly WorkspaceRoot[],
    private readonly texts: Readonly<Record<string, string>> = {},
    private readonly cache = new SourceCache(),
  ) {}

  /** The text of a 1-based line, or null. */
  readonly lineText = (name: string, line: number): string | null => {
    const text = this.unfiled(name);
    if (text !== null) return linesOf(text)[line - 1] ?? null;
    const file = this.file(name);
    if (file === null) return null;
    file.lines ??= linesOf(file.text);
    return file.lines[line - 1] ?? null;
  };

  /** The whole text, or null. */
  readonly sourceText = (name: string): string | null => this.unfiled(name) ?? this.file(name)?.text ?? null;

  /** SHA-256 of a file's bytes and its write time, or null. */
  readonly sourceFacts = (name: string): SourceFile['facts'] | null => this.file(name)?.facts ?? null;

  private unfiled(name: string): string | null {
    return Object.hasOwn(this.texts, name) ? this.texts[name] : null;
  }

  private file(name: string): SourceFile | null {
    return getOrAdd(this.files, name, () => {
      const root = this.roots.find(({ prefix }) => name.startsWith(prefix));
      if (root === undefined) return null;
      const path = join(root.folder, name.slice(root.prefix.length));
      // A recorded name may lead out of the folder.
      return isWithin(path, root.folder) ? this.cache.read(path) : null;
    });
  }
}

function linesOf(text: string): string[] {
  return text.split(/\r\n|\r|\n/);
}

/** `# -*- coding: latin-1 -*-` in one of the first two lines. */
const CODING = /^(?:[^\n]*\n)?[ \t\f]*#[^\n]*?coding[:=][ \t]*([-\w.]+)/;

/** Decodes as Python does: UTF-8, unless the source names another encoding. Invalid bytes become `\uFFFD`. */
function pythonText(bytes: Buffer): string {
  // Python writes `latin-1` where the Web's standard writes `latin1`.
  const named = CODING.exec(bytes.toString('latin1', 0, 400))?.[1].replace(/^(?:iso-)?latin-/i, 'latin');
  try {
    return new TextDecoder(named ?? 'utf-8').decode(bytes);
  } catch {
    return new TextDecoder().decode(bytes);
  }
}
