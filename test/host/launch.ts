/**
 * Runs the in-host suite: bundles the tests, opens a copy of the example in VS Code, runs them inside its extension
 * host. In code-server by default; `LEAKLINE_DESKTOP=1` downloads and uses desktop VS Code.
 */
import { runTests } from '@vscode/test-electron';
import { fileURLToPath } from 'node:url';
import { copyExample, removeCopies } from '../support/workspaces.js';
import { bundleHostTests } from './bundle.js';

const root = fileURLToPath(new URL('../../', import.meta.url));

process.once('SIGTERM', () => process.exit(143));
process.once('exit', removeCopies);

const extensionTestsPath = await bundleHostTests();
const standIn = fileURLToPath(new URL('../vscode-host/code.mjs', import.meta.url));
const desktop = process.env['LEAKLINE_DESKTOP'] === '1';
try {
  await runTests({
    ...(desktop ? {} : { vscodeExecutablePath: standIn }),
    extensionDevelopmentPath: root,
    extensionTestsPath,
    // The tests dump the later snapshots themselves.
    launchArgs: [copyExample({ untilStep: 25 })],
    extensionTestsEnv: { LEAKLINE_ROOT: root },
  });
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
