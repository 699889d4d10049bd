import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { repositoryRoot } from './repository.js';

/**
 * Writes a snapshot of so many events, some 136 bytes each, as torch 2.13 dumps it.
 * @param more further arguments of the script
 */
export function makeSnapshotFile(path: string, events: number, ...more: readonly (string | number)[]): void {
  const script = join(repositoryRoot(), 'bench/makeSnapshot.ts');
  execFileSync(process.execPath, ['--import', 'tsx', script, String(events), '30', path, ...more.map(String)], {
    cwd: repositoryRoot(),
  });
}
