/** Python's debugger, installed once below `out`. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { repositoryRoot } from './repository.js';

const INSTALL_MS = 120_000;

/** @returns the folder to put on the path of Python, or why there is none */
export function installedDebugpy(): { readonly folder: string } | { readonly missing: string } {
  const folder = join(repositoryRoot(), 'out/debugpy');
  const python = (...args: string[]): string | null => {
    const options = { encoding: 'utf8', timeout: INSTALL_MS, env: { ...process.env, PYTHONPATH: folder } } as const;
    const { status, stderr, error } = spawnSync('python3', args, options);
    return status === 0 ? null : (error?.message ?? stderr.trim().split('\n').at(-1) ?? '');
  };
  const works = (): string | null => python('-c', 'import debugpy.adapter');
  if (works() === null) return { folder };
  const problem = python('-m', 'pip', 'install', '--quiet', '--upgrade', '--target', folder, 'debugpy') ?? works();
  return problem === null ? { folder } : { missing: `debugpy cannot be installed: ${problem}` };
}
