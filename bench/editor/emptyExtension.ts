/** An extension that does nothing: what any extension costs. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const NAME = 'empty';
const PUBLISHER = 'leakline-bench';
export const EMPTY_ID = `${PUBLISHER}.${NAME}`;

/** Writes it into a folder of its own. @returns the folder */
export function writeEmptyExtension(parent: string): string {
  const folder = join(parent, NAME);
  mkdirSync(folder, { recursive: true });
  const manifest = {
    ...{ name: NAME, publisher: PUBLISHER, version: '1.0.0', engines: { vscode: '^1.101.0' } },
    ...{ main: './main.cjs', activationEvents: ['onLanguage:python'], extensionKind: ['workspace'] },
  };
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest));
  writeFileSync(join(folder, 'main.cjs'), "'use strict';\nexports.activate = () => undefined;\n");
  return folder;
}
