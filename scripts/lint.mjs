/** Lints, checks the walls between the rooms and the formatting; each runs even if another finds something. */
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { runNode } from './lib/run.mjs';
import { fromRoot, root } from './lib/paths.mjs';

const require = createRequire(import.meta.url);
const prettier = fromRoot('node_modules/prettier/bin/prettier.cjs');
const oxlint = join(dirname(require.resolve('oxlint/package.json')), 'bin/oxlint');
const cruiser = fromRoot('node_modules/dependency-cruiser/bin/dependency-cruise.mjs');
const checks = [
  [oxlint, '--report-unused-disable-directives', '--deny-warnings'],
  [cruiser, '--config', '.dependency-cruiser.mjs', 'src', 'webview', 'test', 'bench', 'scripts'],
  [prettier, '--check', '--log-level', 'warn', '.'],
];
let isClean = true;
for (const check of checks) {
  const { status } = await runNode(check, { cwd: root });
  isClean &&= status === 0;
}
process.exit(isClean ? 0 : 1);
