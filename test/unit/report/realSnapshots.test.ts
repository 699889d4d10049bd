import assert from 'node:assert/strict';
import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { digestSnapshot, type SnapshotDigest } from '../../../src/core/digest/digest.js';
import { buildReport } from '../../../src/core/report/buildReport.js';
import type { LineReport, Report, RunReport } from '../../../src/core/report/report.js';
import { renderMarkdown } from '../../../src/core/render/renderMarkdown.js';
import { renderText } from '../../../src/core/render/renderText.js';
import { listPythonFiles } from '../../../src/node/listPythonFiles.js';
import { SourceFiles } from '../../../src/node/sourceFiles.js';
import { CORPUS, readFile } from '../../support/snapshots.js';

/** Snapshots that other people published, and what is true of them. */
const REAL = join(CORPUS, 'real');
/** Fewer passes than this make no steps. */
const MIN_PASSES = 3;

interface Truth {
  path: string;
  passes: number;
  what: string;
  process: string;
  oomLine: string;
}

/** A text that names a step: a number, a rate, or that something is left from an earlier one. */
const STEP_WORDS = /\bsteps? [\d−~]|\d+ steps?\b|\/step\b|earlier steps?\b|per step\b/i;
const ACCUSING: ReadonlySet<LineReport['verdict']> = new Set(['leak', 'cycle', 'growing', 'periodic']);

function truths(): Truth[] {
  const [head, ...rows] = readFileSync(join(REAL, 'TRUTH.tsv'), 'utf8').trimEnd().split('\n');
  const columns = head.split('\t');
  return rows.map((row) => {
    const cells = row.split('\t');
    const cell = (name: string): string => cells[columns.indexOf(name)] ?? '';
    return {
      path: join(REAL, cell('repo').replace('/', '+'), cell('path')),
      passes: Number(cell('passes')),
      what: cell('what'),
      process: cell('process'),
      oomLine: cell('oom_line'),
    };
  });
}

const known = new Map<string, Promise<SnapshotDigest>>();

function digestOf(path: string): Promise<SnapshotDigest> {
  let digest = known.get(path);
  if (digest === undefined) {
    digest = readFile(path).then((snapshot) => digestSnapshot(path, snapshot));
    known.set(path, digest);
  }
  return digest;
}

async function reportOf(files: readonly Truth[], root: string): Promise<Report> {
  const digests = await Promise.all(files.map(({ path }) => digestOf(path)));
  const { lineText, sourceText, sourceFacts } = new SourceFiles([{ prefix: '', folder: root }]);
  const workspace = { files: await listPythonFiles(root), rules: [], lineText, sourceText, sourceFacts };
  return buildReport(digests, workspace).report;
}

function repositoryOf({ path }: Truth): string {
  return join(REAL, relative(REAL, path).split('/')[0]);
}

/** Errors in the report on a file, one sentence each. */
function faultsOf(truth: Truth, report: Report, all: readonly Truth[]): string[] {
  const run = report.runs.find(({ snapshots }) => snapshots.some(({ path }) => path === truth.path));
  if (run === undefined) return ['is in no run'];
  const texts = [renderText(report, { maxLines: 20 }), renderMarkdown(report, { maxLines: 20 })];
  return [
    ...stepFaults(truth, run, all, texts),
    ...run.snapshots
      .map(({ path }) => all.find((one) => one.path === path))
      .filter((other) => other !== undefined && other.process !== truth.process)
      .map((other) => `is one run with ${String(other?.path)}`),
    ...run.lines
      .filter(({ verdict }) => ACCUSING.has(verdict))
      .map(({ file, line, verdict }) => `${file}:${line} is ${verdict}`),
    ...(ACCUSING.has(run.verdict) ? [`the run is ${run.verdict}`] : []),
    ...texts.filter((text) => text.includes('something keeps')).map(() => 'says that something keeps memory'),
    ...askingFaults(truth, run, texts),
  ];
}

function stepFaults(truth: Truth, run: RunReport, all: readonly Truth[], texts: readonly string[]): string[] {
  const told = run.snapshots.length === 1 ? run.steps : null;
  const numbers = [
    ...run.snapshots.map(({ step }) => step),
    ...run.peaks.map(({ step }) => step),
    ...run.lines.map(({ bytesPerStep }) => bytesPerStep),
    run.forecast?.stepsToOom ?? null,
  ].filter((number) => number !== null);
  if (truth.passes < MIN_PASSES) {
    const calm = all.every(({ passes }) => passes < MIN_PASSES);
    return [
      ...(told === null ? [] : [`has ${truth.passes} passes, and steps from ${told}`]),
      ...(numbers.length === 0 || run.snapshots.length > 1 ? [] : [`has numbers of steps: ${numbers.join(', ')}`]),
      ...(calm ? texts.flatMap((text) => STEP_WORDS.exec(text)?.[0] ?? []).map((words) => `says “${words}”`) : []),
    ];
  }
  return told === null && run.snapshots.length === 1 ? [`has ${truth.passes} passes, and no steps`] : [];
}

function askingFaults({ oomLine }: Truth, run: RunReport, texts: readonly string[]): string[] {
  if (oomLine === '') return run.outOfMemory.length === 0 ? [] : ['ran out of memory'];
  const said = texts.map((text) => text.split('\n').findIndex((line) => line.includes(oomLine)));
  return [
    ...(run.outOfMemory.length > 0 ? [] : ['did not run out of memory']),
    ...said.filter((at) => at === -1 || at > 8).map(() => `does not begin with ${oomLine}, which asked`),
  ];
}

describe('Snapshots that other people recorded', () => {
  const check = (title: string, together: (truth: Truth, all: readonly Truth[]) => readonly Truth[]): void => {
    it(title, async function () {
      if (!existsSync(join(REAL, 'TRUTH.tsv'))) {
        console.log('    skipped: no ../shared/corpus/real beside the checkout');
        this.skip();
      }
      this.timeout(120_000);
      const all = truths();
      assert.ok(all.length >= 24);
      const wrong: string[] = [];
      const faulty = new Set<string>();
      for (const truth of all) {
        const files = together(truth, all);
        for (const fault of faultsOf(truth, await reportOf(files, repositoryOf(truth)), files)) {
          wrong.push(`${relative(REAL, truth.path)} ${fault}`);
          faulty.add(truth.path);
        }
      }
      assert.equal(wrong.join('\n'), '', `${all.length - faulty.size} of ${all.length} files are right`);
    });
  };

  check('get the right verdicts one by one', (truth) => [truth]);
  check('get the right verdicts with the others of their process', (truth, all) =>
    all.filter(({ process }) => process === truth.process),
  );
  check('get the right verdicts with all of their folder', (truth, all) =>
    all.filter((other) => repositoryOf(other) === repositoryOf(truth)),
  );

  it('are named by their own names where one is alone', async function () {
    if (!existsSync(join(REAL, 'TRUTH.tsv'))) this.skip();
    for (const truth of truths()) {
      const { runs } = await reportOf([truth], repositoryOf(truth));
      assert.deepEqual(
        runs.map(({ id }) => id),
        [truth.path],
      );
    }
  });

  it('are all in the table of truths', function () {
    if (!existsSync(join(REAL, 'TRUTH.tsv'))) this.skip();
    const snapshots = readdirSync(REAL, { recursive: true, encoding: 'utf8' })
      .map((name) => join(REAL, name))
      .filter((path) => statSync(path).isFile() && /\.(?:pickle|pkl|json)$/.test(path));
    assert.deepEqual(
      snapshots.sort(),
      truths()
        .map(({ path }) => path)
        .sort(),
    );
  });
});
