/** The repository that is tested, also seen from bundles that run elsewhere. */
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** `LEAKLINE_ROOT`, set for tests that run inside VS Code; otherwise the folder where the suite was started. */
export function repositoryRoot(): string {
  return resolve(process.env['LEAKLINE_ROOT'] ?? '.');
}

/**
 * A program of Leakline as it was built last. `npm test` builds first; a test that is started without it does not.
 * @throws Error that says how to build it if it is not there
 */
export function builtProgram(name: string): string {
  const path = join(repositoryRoot(), 'dist', name);
  if (!existsSync(path)) throw new Error(`dist/${name} is not there. Run: npm run build`);
  return path;
}

/** The packed extension, as `npm run package` names it. */
export function packedExtension(): string {
  const manifest = JSON.parse(readFileSync(join(repositoryRoot(), 'package.json'), 'utf8')) as Record<string, string>;
  return join(repositoryRoot(), `leakline-${manifest['version'] ?? ''}.vsix`);
}
