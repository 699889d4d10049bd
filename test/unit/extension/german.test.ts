/** German is there as a whole, so that every text can be put into another language. Fails where a text has no German. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sourceTexts, untranslated } from './support/sourceTexts.js';

const root = join(import.meta.dirname, '../../..');
const table = (path: string): Record<string, string> =>
  JSON.parse(readFileSync(join(root, path), 'utf8')) as Record<string, string>;
const sorted = (items: Iterable<string>): string[] => [...items].sort();

/** The parts of a text that every language must contain: placeholders, links to commands, code, settings and icons. */
const fixed = (text: string): string[] =>
  sorted(text.match(/\{\d+\}|\(command:[\w.]+\)|`[^`]*`|\$\([\w~-]+\)|\n/g) ?? []);

describe('German', () => {
  const { texts, unknown } = sourceTexts(root, ['src/extension', 'webview', 'src/worker', 'src/node', 'src/core']);
  const bundle = table('l10n/bundle.l10n.de.json');
  const manifest = readFileSync(join(root, 'package.json'), 'utf8');

  it('finds every text as a literal in its call, made after the language is known', () => {
    assert.deepEqual(unknown, []);
    assert.ok(texts.size > 200, `only ${texts.size} texts found`);
  });

  it('is there for every text of the extension, the timeline and the core, and for nothing else', () => {
    assert.deepEqual(
      [...texts].filter(([text]) => !Object.hasOwn(bundle, text)).map(([text, file]) => `${file}: ${text}`),
      [],
      'add these to l10n/bundle.l10n.de.json',
    );
    assert.deepEqual(
      // The name of the language.
      Object.keys(bundle).filter((text) => text !== 'en' && !texts.has(text)),
      [],
      'remove these from l10n/bundle.l10n.de.json',
    );
  });

  it('is there once', () => {
    for (const path of ['l10n/bundle.l10n.de.json', 'package.nls.de.json', 'package.nls.json']) {
      const keys = Array.from(
        readFileSync(join(root, path), 'utf8').matchAll(/^ +"(?:[^"\\]|\\.)*"(?=:)/gm),
        ([key]) => key,
      );
      assert.deepEqual(
        keys.filter((key, at) => keys.indexOf(key) !== at),
        [],
        path,
      );
      assert.equal(keys.length, Object.keys(table(path)).length);
    }
  });

  it('is there for every text of the manifest, and for nothing else', () => {
    assert.deepEqual(sorted(Object.keys(table('package.nls.de.json'))), sorted(Object.keys(table('package.nls.json'))));
    assert.equal((JSON.parse(manifest) as { l10n: string }).l10n, './l10n');
  });

  it('keeps placeholders, commands, code and line breaks', () => {
    const [english, german] = [table('package.nls.json'), table('package.nls.de.json')];
    const pairs = [
      ...Object.entries(bundle),
      ...Object.entries(english).map(([key, text]): [string, string] => [text, german[key]]),
    ];
    for (const [text, translated] of pairs) {
      assert.ok(translated.trim() !== '', text);
      assert.deepEqual(fixed(translated), fixed(text), text);
    }
  });

  it('names commands and views as the manifest does', () => {
    const german = table('package.nls.de.json');
    const quoted = Object.entries({ ...german, ...bundle }).flatMap(([key, text]) =>
      [...text.matchAll(/(?<=\*(?:Leakline: )?)\p{Lu}[^*:]+(?=\*)|(?<=(?:Ansicht|Befehl) „)[^“]+/gu)].map(
        ([name]): [key: string, name: string] => [key, name],
      ),
    );
    assert.ok(quoted.length > 5);
    // The editor's own view.
    const names = new Set([...Object.values(german), 'Probleme']);
    assert.deepEqual(
      quoted.filter(([, name]) => !names.has(name)),
      [],
    );
  });
});

describe('Texts of the core', () => {
  it('all go through the translator, but for those that only the command line has', () => {
    const english = /^report\/budget\.ts$/;
    // Words that PyTorch writes, and titles of tables for the terminal.
    const meant = [/^let dot = $/, /^[\w-]+( reserved)? memory$/, /^(Total|Device) [A-Z]\w+$/, /^[A-Z ]+$/];
    const open = ['bytes', 'pickle', 'formats', 'report', 'present'].flatMap((room) =>
      readdirSync(join(root, 'src/core', room), { recursive: true, encoding: 'utf8' })
        .filter((name) => name.endsWith('.ts') && !english.test(`${room}/${name}`))
        .flatMap((name) =>
          untranslated(join(root, 'src/core', room, name))
            .map((text) => text.replace(/^\d+: /, ''))
            .filter((text) => /\p{L}{2,}[,:;]? \p{L}{2,}/u.test(text) && !meant.some((pattern) => pattern.test(text)))
            .map((text) => `${room}/${name}: ${text}`),
        ),
    );
    assert.deepEqual(open, []);
  });
});

describe('Texts of the timeline', () => {
  it('all go through the translator, but for names of keys and internal errors', () => {
    const meant = [/^(Enter|Backspace|Esc(ape)?|Home|Alt\+.+)$/, /^(This browser|The page) /];
    const open = readdirSync(join(root, 'webview'), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .flatMap((name) => untranslated(join(root, 'webview', name)).map((text) => text.replace(/^\d+: /, '')))
      .filter((text) => /^\p{Lu}\p{Ll}/u.test(text) && !meant.some((pattern) => pattern.test(text)));
    assert.deepEqual(open, []);
  });
});
