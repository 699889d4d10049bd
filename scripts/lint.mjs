/** Lints, checks the formatting of everything and looks for imports in a circle; all run even if the first finds something. */
import { createRequire } from 'node:module';
import { importCycles } from './lib/importCycles.mjs';
import { runNode } from './lib/run.mjs';
import { fromRoot, root } from './lib/paths.mjs';

const require = createRequire(import.meta.url);
const prettier = fromRoot('node_modules/prettier/bin/prettier.cjs');
const eslint = require.resolve('eslint/package.json').replace('package.json', 'bin/eslint.js');
const results = [
  await runNode([eslint, '--max-warnings', '0', '.'], { cwd: root }),
  await runNode([prettier, '--check', '--log-level', 'warn', '.'], { cwd: root }),
];
const cycles = importCycles(root, ['src', 'webview', 'test/unit', 'test/support', 'bench']);
for (const cycle of cycles) console.error(`Imports in a circle: ${cycle}`);
process.exit(cycles.length > 0 || results.some(({ status }) => status !== 0) ? 1 : 0);
