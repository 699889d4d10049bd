/** Shared parts of the tests of all launchers. */
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { builtProgram } from '../support/repository.js';
import { FIXTURES } from '../support/snapshots.js';

/** The snapshots of a job. */
export const FOLDER = join(FIXTURES, 'recordings/two_ranks');

/** Runs the command line here. @throws Error if it fails */
export function leakline(...args: string[]): string {
  const { status, stdout, stderr } = spawnSync(process.execPath, [builtProgram('cli.js'), ...args], {
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(stderr);
  return stdout;
}

/** The files below a folder with their bytes. */
export function filesIn(folder: string): Map<string, string> {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort();
  const files = names.filter((name) => statSync(join(folder, name)).isFile());
  return new Map(files.map((name) => [name, readFileSync(join(folder, name), 'base64')]));
}
