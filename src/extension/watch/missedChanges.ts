import { readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** Maximum number of folders per round: those with the latest snapshots. */
const MAX_FOLDERS = 32;

/**
 * Detects missing file events: a file that existed one round ago without an event. Lists each folder of snapshots per
 * round.
 */
export class MissedChanges {
  private readonly known = new Map<string, Set<string>>();
  /** Files that no event had reported in the last round. */
  private suspects = new Set<string>();

  /** @param includes true for files that should cause events */
  constructor(private readonly includes: (path: string) => boolean) {}

  /** An event reported a file. */
  noticed(path: string): void {
    const folder = dirname(path);
    const files = this.known.get(folder) ?? new Set();
    files.add(path);
    // The folder that changed last is the last to be dropped.
    this.known.delete(folder);
    this.known.set(folder, files);
  }

  /** @returns true if a change was missed */
  async look(): Promise<boolean> {
    const unheard = new Set<string>();
    for (const folder of [...this.known.keys()].slice(-MAX_FOLDERS)) {
      for (const name of await readdir(folder).catch(() => [])) {
        const path = join(folder, name);
        if (this.includes(path) && this.known.get(folder)?.has(path) !== true) unheard.add(path);
      }
    }
    const missed = [...unheard].some((path) => this.suspects.has(path));
    this.suspects = unheard;
    return missed;
  }
}
