/** The repository that is tested, also seen from bundles that run elsewhere. */
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** `LEAKLINE_ROOT`, set for tests that run inside VS Code; otherwise the folder where the suite was started. */
export function repositoryRoot(): string {
  return resolve(process.env['LEAKLINE_ROOT'] ?? '.');
}

/** The packed extension, as `npm run package` names it. */
export function packedExtension(): string {
  const manifest = JSON.parse(readFileSync(join(repositoryRoot(), 'package.json'), 'utf8')) as Record<string, string>;
  return join(repositoryRoot(), `leakline-${manifest['version'] ?? ''}.vsix`);
}
