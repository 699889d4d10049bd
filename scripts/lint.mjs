/** Lints and checks the formatting of everything; both run even if the first finds something. */
import { createRequire } from 'node:module';
import { runNode } from './lib/run.mjs';
import { fromRoot, root } from './lib/paths.mjs';

const require = createRequire(import.meta.url);
const prettier = fromRoot('node_modules/prettier/bin/prettier.cjs');
const eslint = require.resolve('eslint/package.json').replace('package.json', 'bin/eslint.js');
const results = [
  await runNode([eslint, '--max-warnings', '0', '.'], { cwd: root }),
  await runNode([prettier, '--check', '--log-level', 'warn', '.'], { cwd: root }),
];
process.exit(results.some(({ status }) => status !== 0) ? 1 : 0);
