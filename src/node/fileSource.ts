import { open, stat, type FileHandle } from 'node:fs/promises';
import type { ByteSource } from '../core/bytes/byteSource.js';
import { SnapshotError } from '../core/bytes/snapshotError.js';
import type { Bytes, Microseconds } from '../core/model/units.js';
import { t } from '../core/text/translate.js';
import { unfoldingOf } from './gunzip.js';

/** Facts that identify the state of a file without reading it. */
export interface FileState {
  readonly size: number;
  readonly mtimeMs: number;
  /** When anything about the file changed last. Programs set `mtimeMs` as they like, but not this. */
  readonly ctimeMs: number;
  readonly inode: number;
}

/** A file opened for reading. Close it: on Windows, an open file cannot be deleted. */
export interface OpenFile {
  readonly source: ByteSource;
  /** The state when it was opened. */
  readonly state: FileState;
  /** The state of the opened file now. */
  currentState(): Promise<FileState>;
  close(): Promise<void>;
}

/** When a file was written last, as analysis counts times. */
export function savedAtUs({ mtimeMs }: FileState): Microseconds {
  return 1000 * mtimeMs;
}

export function sameFile(a: FileState, b: FileState): boolean {
  return a.size === b.size && a.mtimeMs === b.mtimeMs && a.inode === b.inode;
}

/** Opens a file as a source of bytes. @throws SnapshotError `unreadable`, with the system's reason and advice */
export async function openFile(path: string): Promise<OpenFile> {
  let handle: FileHandle | null = null;
  try {
    // Checked before opening: opening a pipe would wait for its writer.
    if (!(await stat(path)).isFile()) {
      throw new SnapshotError('unreadable', t('{0} is not a file. Choose a snapshot file.', path));
    }
    handle = await open(path, 'r');
    const opened = handle;
    const facts = await opened.stat();
    return {
      source: {
        name: path,
        size: facts.size,
        unfolding: unfoldingOf(facts.size),
        read: async (offset, into) => {
          // Not beyond the size: a file of the kernel has size 0, and may be endless, or wait.
          const length = Math.min(into.length, facts.size - offset);
          if (length <= 0) return 0;
          try {
            return (await opened.read(into, 0, length, offset)).bytesRead;
          } catch (error) {
            throw unreadable(path, error); // a disk or a network that fails half-way
          }
        },
      },
      state: stateOf(facts),
      currentState: async () => stateOf(await opened.stat()),
      close: () => opened.close(),
    };
  } catch (error) {
    await handle?.close();
    throw SnapshotError.is(error) ? error : unreadable(path, error);
  }
}

/**
 * Reads a file up to the size that it had at the start. @throws RangeError if it is larger, or a pipe or a device; Error
 * of the file system
 */
export async function readSmallFile(path: string, maxBytes: Bytes): Promise<{ bytes: Buffer; mtimeMs: number }> {
  // Checked before opening: opening a pipe would wait for its writer.
  if (!(await stat(path)).isFile()) throw new RangeError('it is not a file');
  const handle = await open(path, 'r');
  try {
    const { size, mtimeMs } = await handle.stat();
    if (size > maxBytes) throw new RangeError('the file is too large');
    const bytes = Buffer.alloc(size);
    let filled = 0;
    for (let got = -1; got !== 0 && filled < size; filled += got)
      got = (await handle.read(bytes, filled, size - filled)).bytesRead;
    return { bytes: bytes.subarray(0, filled), mtimeMs };
  } finally {
    await handle.close();
  }
}

/** Detects a file that changed during reading, which would mix old and new bytes. @throws SnapshotError `truncated` */
export async function expectUnchanged(file: OpenFile): Promise<void> {
  if (!sameFile(file.state, await file.currentState())) throw changedWhileRead(file.source.name);
}

/** The sentence about a file that changed under its reader. */
export function changedWhileRead(path: string): SnapshotError {
  return new SnapshotError(
    'truncated',
    t('{0} changed while it was read: it is being written. Leakline reads it again when it is complete.', path),
  );
}

/** The state of a file, from the file system. */
export function stateOf(facts: { size: number; mtimeMs: number; ctimeMs: number; ino: number }): FileState {
  return { size: facts.size, mtimeMs: facts.mtimeMs, ctimeMs: facts.ctimeMs, inode: facts.ino };
}

function unreadable(path: string, error: unknown): SnapshotError {
  const code = error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
  return new SnapshotError(
    'unreadable',
    unreadableText(path, code, error instanceof Error ? error.message : String(error)),
  );
}

function unreadableText(path: string, code: string, message: string): string {
  switch (code) {
    case 'ENOENT':
      return t('{0} cannot be read: there is no such file. Check the path.', path);
    case 'EACCES':
    case 'EPERM':
      return t('{0} cannot be read: access is denied. Check its permissions.', path);
    case 'EISDIR':
      return t('{0} cannot be read: it is a folder. Choose a snapshot file.', path);
    case 'ELOOP':
      return t('{0} cannot be read: too many levels of symbolic links. Link to the file itself.', path);
    default:
      return t('{0} cannot be read: {1}. Try again.', path, message);
  }
}
