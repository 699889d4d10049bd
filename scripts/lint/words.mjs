/** Finds words that the glossary replaces, in all texts of the repository; `words.mjs FOLDER` in those of a folder. */
import { readFileSync, readdirSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { complaintsAbout } from './glossary.mjs';

const folders = ['src', 'webview', 'recorder', 'scripts', 'test', 'bench', 'docs', 'snippets', '.github'];
const rootFiles = /\.md$|^package(\.nls)?\.json$/;
const texts = /\.(ts|mjs|js|css|py|md|json|yml)$/;
/** Other people's words, German, and the glossary. */
const foreign =
  /node_modules|__pycache__|^bench\/\.data\/|^test\/fixtures\/|package-lock|languagePack|nls\.de|^scripts\/lint\/|^CHANGELOG/;

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

/** @returns {string[]} each use of a word that has a better one */
function uses(root) {
  return files(root).flatMap((path) =>
    [path, ...readFileSync(join(root, path), 'utf8').split('\n')].flatMap((line, number) =>
      complaintsAbout(line).map(({ word, say }) => `${path}:${number}: '${word}' (say: ${say})`),
    ),
  );
}

const root = join(dirname(fileURLToPath(import.meta.url)), '../..');
const folder = process.argv[2] ?? '';
const found = uses(root).filter((place) => place.startsWith(folder));
for (const place of found) console.error(place);
process.exit(found.length > 0 ? 1 : 0);
