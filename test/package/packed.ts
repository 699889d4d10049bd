/** The packages that `npm run package` made. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryRoot } from '../support/repository.js';

const packages = join(repositoryRoot(), 'out/packages');
export const { version } = JSON.parse(readFileSync(join(repositoryRoot(), 'package.json'), 'utf8')) as {
  version: string;
};

/** The path of the package of this version whose name fits. */
export function packed(name: RegExp): string {
  const found = readdirSync(packages).find((file) => name.test(file) && file.includes(version));
  assert.ok(found !== undefined, `no ${name.source} of version ${version}: run npm run package`);
  return join(packages, found);
}
