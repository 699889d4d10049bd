/**
 * A language pack without texts: it makes a language the display language, as an installed one does, and extensions show
 * theirs in it. The workbench's own texts stay English: no registry of packages has them.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const publisher = 'leakline-tests';
const version = '1.0.0';

/** Writes the pack into a folder of its own and registers it with a profile. Gives the folder, to be linked as an extension. */
export function writeLanguagePack(folder: string, userDataDir: string, language: string): string {
  const name = `language-pack-${language}`;
  const pack = join(folder, name);
  const texts = 'texts.i18n.json';
  const localization = { languageId: language, translations: [{ id: 'vscode', path: `./${texts}` }] };
  mkdirSync(pack, { recursive: true });
  mkdirSync(userDataDir, { recursive: true });
  writeJson(join(pack, texts), { version, contents: {} });
  writeJson(join(pack, 'package.json'), {
    ...{ name, publisher, version, engines: { vscode: '*' } },
    contributes: { localizations: [localization] },
  });
  // What VS Code writes when a pack is installed.
  writeJson(join(userDataDir, 'languagepacks.json'), {
    [language]: {
      hash: '0',
      extensions: [{ extensionIdentifier: { id: `${publisher}.${name}` }, version }],
      translations: { vscode: join(pack, texts) },
    },
  });
  return pack;
}

function writeJson(path: string, value: unknown): void {
  writeFileSync(path, JSON.stringify(value));
}
