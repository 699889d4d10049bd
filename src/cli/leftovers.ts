/** Files that this process must not leave behind, also if a signal ends it. */
import { readdirSync, rmSync } from 'node:fs';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { isRunning } from '../node/isRunning.js';

/** Temporary folders of this process, in any thread. */
const TEMPORARY = `leakline-${process.pid}-`;
const parts = new Set<string>();

/** A new folder below the system's temporary one. */
export function temporaryFolder(): Promise<string> {
  return mkdtemp(join(tmpdir(), TEMPORARY));
}

/** The file that is written in place of one, by this process. */
export function unfinished(path: string): string {
  return `${path}.${hostname()}.${process.pid}.part`;
}

/** Removes what processes left that were killed while they wrote a file. */
export async function removeAbandoned(path: string): Promise<void> {
  for (const name of await readdir(dirname(path)).catch(() => [])) {
    const prefix = `${basename(path)}.${hostname()}.`;
    const pid = name.startsWith(prefix) ? /^(\d+)\.part$/.exec(name.slice(prefix.length))?.[1] : undefined;
    if (pid !== undefined && !isRunning(Number(pid))) await rm(join(dirname(path), name), { force: true });
  }
}

/** The file is removed if a signal ends this process, in the thread that receives signals. */
export function removeOnSignal(path: string): void {
  parts.add(path);
}

/** Call this in the main thread. */
export function handleSignals(): void {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.once(signal, () => {
      const folders = readdirSync(tmpdir()).filter((name) => name.startsWith(TEMPORARY));
      for (const path of [...parts, ...folders.map((name) => join(tmpdir(), name))])
        rmSync(path, { recursive: true, force: true });
      // The caller sees which signal it was.
      process.kill(process.pid, signal);
    });
}
