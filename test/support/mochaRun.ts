/** One way to run mocha for every suite, inside and outside of VS Code. */
import { isatty } from 'node:tty';
import type MochaClass from 'mocha';
import { countResults, noResults, writeResults, type SuiteResults } from './suiteResults.js';

export interface MochaRunOptions {
  /** Test files for mocha to load. */
  files?: readonly string[];
  /** Test modules that are part of the bundle that runs; each is executed when mocha's globals are there. */
  modules?: readonly (() => Promise<unknown>)[];
  /** Limit of one test or hook. */
  timeoutMs: number;
  /** How many processes share the files; each file runs as a whole in one of them. Default: this process runs all. */
  jobs?: number;
}

/** Runs to the end, prints mocha's summary, writes the results file. `LEAKLINE_GREP` selects tests by title. */
export async function runMocha({
  files = [],
  modules = [],
  timeoutMs,
  jobs = 1,
}: MochaRunOptions): Promise<SuiteResults> {
  // Imported late and not bundled: mocha is an ES module, the bundle for the extension host is not.
  const { default: Mocha } = (await import('mocha')) as { default: typeof MochaClass };
  const grep = process.env['LEAKLINE_GREP'];
  const mocha = new Mocha({
    ui: 'bdd',
    color: isatty(1),
    timeout: timeoutMs,
    forbidOnly: true,
    ...(jobs > 1 ? { parallel: true, jobs } : {}),
    ...(grep === undefined ? {} : { grep }),
  });
  for (const file of files) mocha.addFile(file);
  if (files.length > 0 && jobs === 1) await mocha.loadFilesAsync();
  if (modules.length > 0) mocha.suite.emit('pre-require', globalThis, null, mocha);
  for (const load of modules) await load();
  const results = await new Promise<SuiteResults>((resolve) => {
    const counted = noResults();
    const runner = mocha.run(() => {
      resolve(counted);
    });
    countResults(runner, counted);
  });
  writeResults(results);
  return results;
}
