/**
 * Finds words that the glossary replaces, in all texts of the repository. `allowed.json` says how many uses of a word are
 * left; more are a complaint. `--prune` lowers the numbers; `words.mjs FOLDER` shows all words of a folder.
 */
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { complaintsAbout } from './glossary.mjs';

const folders = ['src', 'webview', 'recorder', 'scripts', 'test', 'bench', 'docs', 'snippets', '.github'];
const rootFiles = /\.md$|^package(\.nls)?\.json$/;
const texts = /\.(ts|mjs|js|css|py|md|json|yml)$/;
/** Other people's words, German, and the glossary. */
const foreign =
  /node_modules|__pycache__|^test\/fixtures\/|package-lock|languagePack|nls\.de|^scripts\/lint\/|^CHANGELOG/;

/** @returns {string[]} paths of all files whose words are looked at */
function files(root) {
  const within = folders.flatMap((folder) =>
    readdirSync(join(root, folder), { withFileTypes: true, recursive: true })
      .filter((entry) => entry.isFile())
      .map((entry) => relative(root, join(entry.parentPath, entry.name))),
  );
  const above = readdirSync(root).filter((name) => rootFiles.test(name));
  return [...above, ...within].filter((path) => texts.test(path) && !foreign.test(path));
}

/** @returns {{ word: string, place: string }[]} each use of a word that has a better one */
function uses(root) {
  return files(root).flatMap((path) =>
    [path, ...readFileSync(join(root, path), 'utf8').split('\n')].flatMap((line, number) =>
      complaintsAbout(line).map(({ word, say }) => ({ word, place: `${path}:${number}: '${word}' (say: ${say})` })),
    ),
  );
}

const root = join(dirname(fileURLToPath(import.meta.url)), '../..');
const list = join(root, 'scripts/lint/allowed.json');
const allowed = JSON.parse(readFileSync(list, 'utf8'));
const [folder] = process.argv.slice(2).filter((argument) => !argument.startsWith('-'));
const found = new Map();
for (const { word, place } of uses(root)) found.set(word, [...(found.get(word) ?? []), place]);

if (folder !== undefined) {
  for (const places of found.values()) for (const place of places) if (place.startsWith(folder)) console.log(place);
} else if (process.argv.includes('--prune')) {
  const left = [...found].map(([word, places]) => [word, Math.min(places.length, allowed[word] ?? 0)]).sort();
  writeFileSync(list, `${JSON.stringify(Object.fromEntries(left), null, 2)}\n`);
} else {
  const above = [...found].filter(([word, places]) => places.length > (allowed[word] ?? 0));
  for (const [word, places] of above) {
    console.error(`'${word}' stands ${places.length} times, at most ${allowed[word] ?? 0}:`);
    for (const place of places.slice(0, 10)) console.error(`  ${place}`);
  }
  const left = [...found.values()].reduce((sum, places) => sum + places.length, 0);
  if (left > 0) console.log(`Glossary: ${left} words wait for a better one.`);
  process.exit(above.length > 0 ? 1 : 0);
}
