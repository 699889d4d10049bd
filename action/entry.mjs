/** The program that the action runs. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';

/**
 * The path of the command line. The npm package needs no other one, so its tarball is only unpacked.
 * @throws Error with a sentence for the log
 */
export function entryOf(path, folder) {
  if (!existsSync(path))
    throw new Error(`The input leakline names no file: '${path}'. Pass dist/cli.js of a build, or the npm package.`);
  if (!/\.tgz$|\.tar\.gz$/.test(path)) return path;
  const { status, stderr, error } = spawnSync('tar', ['-xzf', resolve(path), '-C', folder], { encoding: 'utf8' });
  if (error?.code === 'ENOENT') throw new Error(`tar is missing, which unpacks ${path}. Install it in this job.`);
  const entry = join(folder, 'package/cli.js');
  if (status === 0 && existsSync(entry)) return entry;
  throw new Error(`${path} cannot be unpacked: ${stderr || 'it is not the npm package of Leakline'}. Pack it again.`);
}
