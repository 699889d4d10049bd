/**
 * Runs the in-host suite: bundles the tests, opens a workspace for each folder of them in VS Code, and runs them inside
 * its extension host. In code-server by default; `LEAKLINE_DESKTOP=1` downloads and uses desktop VS Code.
 */
import { runTests } from '@vscode/test-electron';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { addResults, noResults, resultsVariable, writeResults, type SuiteResults } from '../support/suiteResults.js';
import { newFolder, removeCopies } from '../support/workspaces.js';
import { bundleHostTests, hasTitle, testFiles } from './bundle.js';
import { scenes, type Scene } from './scenes.js';
import { truthVariable } from './truth.js';

const root = fileURLToPath(new URL('../../', import.meta.url));
const standIn = fileURLToPath(new URL('../vscode-host/code.mjs', import.meta.url));
const desktop = process.env['LEAKLINE_DESKTOP'] === '1';
const grep = process.env['LEAKLINE_GREP'];

process.once('SIGTERM', () => process.exit(143));
process.once('exit', removeCopies);

const selected = scenes.filter(({ tests }) => grep === undefined || hasTitle(testFiles(tests), new RegExp(grep)));
// Two windows at a time: the first scene takes as long as the others together.
const played = (await Promise.all([playAll(selected.slice(0, 1)), playAll(selected.slice(1))])).flat();
const whole = played.filter((results) => results !== null);
// A window that ended without results says nothing of its tests: then the suite says nothing either.
if (whole.length === played.length) {
  const total = noResults();
  for (const results of whole) addResults(total, results);
  writeResults(total);
}

async function playAll(some: readonly Scene[]): Promise<(SuiteResults | null)[]> {
  const played = [];
  for (const scene of some) played.push(await play(scene));
  return played;
}

/** @returns null if the window ended before its tests had */
async function play({ tests, open }: Scene): Promise<SuiteResults | null> {
  const { path, truth = {} } = open();
  const notes = newFolder('notes');
  const resultsFile = join(notes, 'results.json');
  const truthFile = join(notes, 'truth.json');
  writeFileSync(truthFile, JSON.stringify(truth));
  try {
    await runTests({
      ...(desktop ? {} : { vscodeExecutablePath: standIn }),
      extensionDevelopmentPath: root,
      extensionTestsPath: await bundleHostTests(tests),
      launchArgs: [path],
      extensionTestsEnv: { LEAKLINE_ROOT: root, [resultsVariable]: resultsFile, [truthVariable]: truthFile },
    });
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  }
  return existsSync(resultsFile) ? (JSON.parse(readFileSync(resultsFile, 'utf8')) as SuiteResults) : null;
}
