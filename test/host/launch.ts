/**
 * Runs the in-host suite: bundles the tests, opens a workspace for each folder of them in VS Code, and runs them inside
 * its extension host. In code-server by default; `LEAKLINE_DESKTOP=1` downloads and uses desktop VS Code.
 */
import { runTests } from '@vscode/test-electron';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ExtensionTests } from '../vscode-host/extensionTests.js';
import { addResults, noResults, resultsVariable, writeResults, type SuiteResults } from '../support/suiteResults.js';
import { newFolder, removeCopies } from '../support/workspaces.js';
import { bundleHostTests, hasTitle, testFiles } from './bundle.js';
import { scenes, type Scene } from './scenes.js';
import { truthVariable } from './truth.js';

const root = fileURLToPath(new URL('../../', import.meta.url));
const debuggerFolder = fileURLToPath(new URL('debugger', import.meta.url));
const grep = process.env['LEAKLINE_GREP'];

process.once('SIGTERM', () => process.exit(143));
process.once('exit', removeCopies);

const selected = scenes.filter(({ tests }) => grep === undefined || hasTitle(testFiles(tests), new RegExp(grep)));
const isDesktop = process.env['LEAKLINE_DESKTOP'] === '1';
const host =
  isDesktop || selected.length === 0 ? null : await ExtensionTests.start({ linkedExtensions: [debuggerFolder] });
// Two windows at a time: the first scene takes as long as the others together.
const played = (await Promise.all([playAll(selected.slice(0, 1)), playAll(selected.slice(1))])).flat();
await host?.stop();
const whole = played.filter((results) => results !== null);
// A window that ended without results gives no information on its tests: then the suite says nothing either.
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
async function play({ tests: folder, open }: Scene): Promise<SuiteResults | null> {
  const { path, truth = {} } = open();
  const notes = newFolder('notes');
  const resultsFile = join(notes, 'results.json');
  const truthFile = join(notes, 'truth.json');
  writeFileSync(truthFile, JSON.stringify(truth));
  const tests = await bundleHostTests(folder);
  const environment = { LEAKLINE_ROOT: root, [resultsVariable]: resultsFile, [truthVariable]: truthFile };
  const code =
    host === null
      ? await inDesktop(path, tests, environment)
      : await host.run({
          ...(path.endsWith('.code-workspace') ? { workspace: path } : { folder: path }),
          extensionUnderDevelopment: root,
          extensionTests: tests,
          extensionEnvironment: environment,
        });
  if (code !== 0) process.exitCode = 1;
  return existsSync(resultsFile) ? (JSON.parse(readFileSync(resultsFile, 'utf8')) as SuiteResults) : null;
}

/** Downloads desktop VS Code once. Gives the exit code of `code`. */
async function inDesktop(path: string, tests: string, environment: Record<string, string>): Promise<number> {
  return runTests({
    extensionDevelopmentPath: [root, debuggerFolder],
    extensionTestsPath: tests,
    launchArgs: [path],
    extensionTestsEnv: environment,
  }).catch((error: unknown) => {
    console.error(error instanceof Error ? error.message : error);
    return 1;
  });
}
