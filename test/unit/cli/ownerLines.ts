/** Owner lines as CPython finds them; see ownerLines.py. */
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

export interface OwnerLines {
  /** Live bytes and blocks by `file:line:function`. */
  lines: Record<string, [bytes: number, blocks: number] | undefined>;
  library: number;
  before: number;
  noStack: number;
  live: number;
}

/** One result per file. Files below `recorded` are the workspace's, which knows them as below `workspace`. */
export function ownerLines(files: readonly string[], recorded = '', workspace = ''): OwnerLines[] {
  const script = fileURLToPath(new URL('ownerLines.py', import.meta.url));
  return execFileSync('python3', [script, recorded, workspace, ...files], { encoding: 'utf8', maxBuffer: 1 << 30 })
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as OwnerLines);
}
