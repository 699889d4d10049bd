/** Lints, checks the walls between the rooms, the formatting, the glossary and the subjects of commits; each runs even if another finds something. */
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { complaintsAboutCommits } from './lib/commitSubjects.mjs';
import { runNode } from './lib/run.mjs';
import { fromRoot, root } from './lib/paths.mjs';

const require = createRequire(import.meta.url);
const program = (name) => join(dirname(require.resolve(`${name}/package.json`)), 'bin', name);
const cruiser = fromRoot('node_modules/dependency-cruiser/bin/dependency-cruise.mjs');
const checks = [
  [program('oxlint'), '--report-unused-disable-directives', '--deny-warnings'],
  [cruiser, '--config', '.dependency-cruiser.mjs', 'src', 'webview', 'test', 'bench', 'scripts'],
  [program('oxfmt'), '--check', '.'],
  ['scripts/lint/words.mjs'],
];
let isClean = true;
for (const check of checks) {
  const { status } = await runNode(check, { cwd: root });
  isClean &&= status === 0;
}
const complaints = await complaintsAboutCommits();
for (const complaint of complaints) console.error(`Commit ${complaint}`);
isClean &&= complaints.length === 0;
process.exit(isClean ? 0 : 1);
