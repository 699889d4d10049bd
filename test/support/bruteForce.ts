/** CPython's reading of snapshots, for comparison; see bruteForce.py. */
import { execFileSync, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { repositoryRoot } from './repository.js';

export interface BruteForce {
  /** Reserved and requested bytes are null where the file does not say. */
  devices: Record<string, { live: number; reserved: number | null; requested: number | null; events: number }>;
  /** Frames as (file, line, function), innermost first; live bytes; blocks. */
  stacks: [[string, number, string][], number, number][];
  /** Live bytes by what the profiler says they are for. */
  categories: Record<string, number>;
}

/** True if there is a python3 to compare with. */
export function hasPython(): boolean {
  return spawnSync('python3', ['--version']).status === 0;
}

export function bruteForce(files: readonly string[]): BruteForce[] {
  const script = join(repositoryRoot(), 'test/support/bruteForce.py');
  const output = execFileSync('python3', [script, ...files], { encoding: 'utf8', maxBuffer: 1 << 30 });
  return output
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as BruteForce);
}
