/**
 * Finds words that the glossary replaces, in all texts of the repository. `allowed.txt` names files that still have one, as
 * `word path`. `--prune` removes entries that are no longer needed; `words.mjs FOLDER` shows all words of a folder.
 */
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { complaintsAbout } from './glossary.mjs';

const folders = ['src', 'webview', 'recorder', 'scripts', 'test', 'bench', 'docs', 'snippets', '.github'];
const rootFiles = /\.md$|^package(\.nls)?\.json$/;
const texts = /\.(ts|mjs|js|css|py|md|json|yml)$/;
/** Other people's words, German, and the list itself. */
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

/** @returns {{ complaints: string[], allowed: number }} */
export function checkWords(root, { prune = false, folder } = {}) {
  const list = join(root, 'scripts/lint/allowed.txt');
  const allowed = new Set(readFileSync(list, 'utf8').split('\n').filter(Boolean));
  const needed = new Set();
  const complaints = [];
  for (const path of files(root)) {
    const lines = [path, ...readFileSync(join(root, path), 'utf8').split('\n')];
    lines.forEach((line, number) => {
      for (const { word, say } of complaintsAbout(line)) {
        const entry = `${word.replaceAll(' ', '-')} ${path}`;
        needed.add(entry);
        if (folder === undefined ? !allowed.has(entry) : path.startsWith(folder))
          complaints.push(`${path}:${number}: '${word}' (say: ${say})`);
      }
    });
  }
  const stale = [...allowed].filter((entry) => !needed.has(entry));
  if (prune)
    writeFileSync(
      list,
      [...allowed]
        .filter((entry) => needed.has(entry))
        .map((entry) => `${entry}\n`)
        .join(''),
    );
  else if (folder === undefined)
    complaints.push(...stale.map((entry) => `scripts/lint/allowed.txt: '${entry}' is no longer needed (--prune)`));
  return { complaints, allowed: allowed.size - stale.length };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const root = join(dirname(fileURLToPath(import.meta.url)), '../..');
  const [folder] = process.argv.slice(2).filter((argument) => !argument.startsWith('-'));
  const { complaints, allowed } = checkWords(root, { prune: process.argv.includes('--prune'), folder });
  for (const complaint of complaints) console.error(complaint);
  if (allowed > 0) console.log(`Glossary: ${allowed} words in files still wait for a better one.`);
  process.exit(complaints.length > 0 ? 1 : 0);
}
