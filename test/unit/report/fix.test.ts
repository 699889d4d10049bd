import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { digestSnapshot, type SnapshotDigest } from '../../../src/core/digest/digest.js';
import { groupRuns } from '../../../src/core/runs/runs.js';
import { fixSentence } from '../../../src/core/present/fixText.js';
import { renderCompareMarkdown } from '../../../src/core/render/renderMarkdown.js';
import { renderCompareText } from '../../../src/core/render/renderText.js';
import { boundCompare } from '../../../src/core/report/boundReport.js';
import { buildCompare, compareRuns } from '../../../src/core/report/compare/buildCompare.js';
import { buildReport } from '../../../src/core/report/buildReport.js';
import { fixVerdict } from '../../../src/core/report/compare/fixVerdict.js';
import type { CompareReport, FixLine, FixVerdict, RunReport } from '../../../src/core/report/report.js';
import { FIXTURES, readFile } from '../../support/snapshots.js';

const FOLDER = join(FIXTURES, 'fixes');
const NO_WORKSPACE = { files: [], rules: [] };

async function digestsOf(variant: string): Promise<SnapshotDigest[]> {
  const files = readdirSync(join(FOLDER, variant)).map((name) => join(FOLDER, variant, name));
  return Promise.all(files.map(async (file) => digestSnapshot(file, await readFile(file))));
}

async function compared(before: string, after: string): Promise<CompareReport> {
  const [a] = groupRuns(await digestsOf(before));
  const [b] = groupRuns(await digestsOf(after));
  return compareRuns(a, b, NO_WORKSPACE);
}

async function fixOf(before: string, after: string): Promise<FixVerdict> {
  const { fix } = await compared(before, after);
  assert.ok(fix !== null);
  return fix;
}

function linesOf(fix: FixVerdict): string[] {
  return fix.lines.map((line) => `${line.lineBefore ?? '-'}→${line.lineAfter ?? '-'} ${line.answer}`).sort();
}

describe('A fix', () => {
  // Per step: a graph of two 32×64 floats and what its small ends take, in units of 512 bytes.
  const RATE = 17 * 1024 + 512;

  it('is seen when the leak is gone, on lines that have moved', async () => {
    const fix = await fixOf('leak', 'gone');
    assert.equal(fix.answer, 'gone');
    assert.equal(fix.why, '3 lines leaked 17.5 KiB per step before. None of them leaks now.');
    assert.deepEqual([fix.before.leakBytesPerStep, fix.after.leakBytesPerStep], [RATE, 0]);
    assert.deepEqual(linesOf(fix), ['12→12 gone', '20→22 gone', '26→- gone']);
  });

  it('is partial when the rate is smaller', async () => {
    const fix = await fixOf('leak', 'smaller');
    assert.equal(fix.answer, 'smaller');
    assert.deepEqual(linesOf(fix), ['12→12 smaller', '20→21 smaller', '26→28 smaller']);
    assert.ok((fix.after.leakBytesPerStep ?? 0) > 0.4 * RATE && (fix.after.leakBytesPerStep ?? 0) < 0.6 * RATE);
  });

  it('is none when nothing changed, and the other way round', async () => {
    assert.equal((await fixOf('leak', 'leak')).answer, 'same');
    assert.deepEqual(
      [(await fixOf('gone', 'gone')).answer, (await fixOf('gone', 'gone')).why],
      ['same', 'Neither run leaks.'],
    );
    assert.equal((await fixOf('leak', 'worse')).answer, 'worse');
    const added = await fixOf('gone', 'leak');
    assert.equal(added.answer, 'worse');
    assert.match(added.why, /^3 lines began to leak 17\.5 KiB per step\.$/);
  });

  it('is distinguished from noise by a tenth of the rate', async () => {
    const [built] = buildReport(await digestsOf('leak'), NO_WORKSPACE).report.runs;
    const lines = built.lines.map((line) =>
      line.verdict === 'growing' ? { ...line, verdict: 'leak' as const } : line,
    );
    const run: RunReport = { ...built, verdict: 'leak', lines };
    const times = (factor: number): RunReport => ({
      ...run,
      lines: run.lines.map((line) => ({ ...line, series: line.series.map((bytes) => bytes * factor) })),
    });
    const answers = [0.85, 0.95, 1.05, 1.15].map((factor) => fixVerdict(run, times(factor)).answer);
    assert.deepEqual(answers, ['smaller', 'same', 'same', 'worse']);
  });

  it('is seen without a proof of the leak where the growth has stopped', async () => {
    const [before] = buildReport(await digestsOf('leak'), NO_WORKSPACE).report.runs;
    const [after] = buildReport(await digestsOf('gone'), NO_WORKSPACE).report.runs;
    assert.equal(before.verdict, 'growing');
    const fix = fixVerdict(before, after);
    assert.deepEqual([fix.answer, fix.why, fix.before.leakBytesPerStep], ['gone', 'Nothing grows now.', RATE]);
    assert.equal(fixSentence(fix), 'The growth is gone: 17.5 KiB per step before, 0 now.');
    assert.deepEqual(linesOf(fix), ['12→12 gone', '20→22 gone', '26→- gone']);
    // The program as it was, recorded for longer.
    const stays = { ...before, verdict: 'plateau' as const };
    assert.equal(fixVerdict(before, stays).answer, 'cannotTell');
  });

  it('says if the later run ended much earlier', async () => {
    const fix = await fixOf('leak', 'gone');
    const last = fix.before.lastStep ?? 0;
    assert.ok(last > 2);
    const at = (lastStep: number | null): string => fixSentence({ ...fix, after: { ...fix.after, lastStep } });
    assert.equal(at(last), 'The leak is gone: 17.5 KiB per step before, 0 now.');
    assert.equal(at(null), at(last));
    assert.equal(at(1), `${at(last)} The later run ended at step 1, the earlier one at step ${last}.`);
  });

  it('names a line that began to leak', async () => {
    const fix = await fixOf('leak', 'more');
    assert.equal(fix.answer, 'worse');
    assert.deepEqual(linesOf(fix), ['-→27 worse', '12→12 same', '20→20 same', '26→26 same']);
    assert.equal(fix.lines[0].bytesPerStepAfter, 16384);
  });

  it('is not made worse, or none, by a leak that is ignored', async () => {
    const [before] = groupRuns(await digestsOf('leak'));
    const [more] = groupRuns(await digestsOf('more'));
    const [gone] = groupRuns(await digestsOf('gone'));
    const workspace = { files: ['train.py'], rules: [] };
    const ignore = (name: string, line: number) =>
      ({
        file: 'train.py',
        function: name,
        statement: 'gone',
        occurrence: 1,
        line,
        reason: null,
        inBaseline: false,
      }) as const;
    const fresh = ignore('main', 27);
    const old = [ignore('forward', 12), ignore('main', 20), ignore('main', 26)];
    const fixed = (a: typeof before, b: typeof before, ...leaks: ReturnType<typeof ignore>[]): FixVerdict => {
      const { fix } = compareRuns(a, b, workspace, leaks);
      assert.ok(fix !== null);
      return fix;
    };
    assert.equal(fixed(before, more).answer, 'worse');
    const quiet = fixed(before, more, fresh);
    assert.equal(quiet.answer, 'same');
    assert.deepEqual(linesOf(quiet), ['12→12 same', '20→20 same', '26→26 same']);
    assert.equal(quiet.after.leakBytesPerStep, RATE);
    assert.equal(fixed(before, more, ...old).answer, 'worse');
    assert.deepEqual(linesOf(fixed(before, more, ...old)), ['-→27 worse']);
    assert.equal(fixed(before, more, ...old, fresh).why, 'Neither run leaks.');
    assert.equal(fixed(gone, before).answer, 'worse');
    assert.equal(fixed(gone, before, ...old).answer, 'same');
  });

  it('of more lines than a report has room for names the fastest, and adds the others up', async () => {
    const report = await compared('leak', 'more');
    const { lines } = report.fix ?? { lines: [] };
    const shown = lines.slice(0, 2);
    boundCompare(
      report,
      shown.reduce((sum, line) => sum + JSON.stringify({ ...line, stacks: [] }).length, 0),
    );
    assert.deepEqual(report.fix?.lines, shown);
    const rest = lines.slice(2);
    const sumOf = (rate: (line: FixLine) => number | null): number =>
      rest.reduce((sum, line) => sum + (rate(line) ?? 0), 0);
    const otherLines = {
      lines: rest.length,
      bytesPerStepBefore: sumOf((line) => line.bytesPerStepBefore),
      bytesPerStepAfter: sumOf((line) => line.bytesPerStepAfter),
    };
    assert.deepEqual([rest.length, report.fix.otherLines], [2, otherLines]);
    assert.match(renderCompareText(report, { maxLines: 5 }), / 8\.5 KiB\/step +8\.5 KiB\/step {2}2 other lines/);
    assert.match(renderCompareMarkdown(report, { maxLines: 5 }), /2 other lines/);
    assert.ok(!('otherLines' in (await fixOf('leak', 'more'))));
  });

  it('is unknown for a run that is too short, with advice', async () => {
    for (const [before, after] of [
      ['leak', 'short'],
      ['short', 'gone'],
    ]) {
      const fix = await fixOf(before, after);
      assert.equal(fix.answer, 'cannotTell');
      assert.match(fix.why, /too short to show a leak: record at least 3 snapshots/);
    }
  });

  it('cannot be identified by rate where the runs have no steps in common', async () => {
    const unnamed = (digests: readonly SnapshotDigest[]): SnapshotDigest[] =>
      digests.map((digest, i) => ({ ...digest, steps: null, lifetimes: [], path: `${'abcd'[i]}.pickle`, heads: [] }));
    const run = (digests: readonly SnapshotDigest[]) => ({
      id: 'run',
      family: 'run',
      rank: null,
      snapshots: digests,
      steps: digests.map(() => null),
      order: 'names' as const,
    });
    const before = run(unnamed(await digestsOf('leak')));
    const smaller = compareRuns(before, run(unnamed(await digestsOf('smaller'))), NO_WORKSPACE).fix;
    assert.equal(smaller?.answer, 'cannotTell');
    assert.match(smaller.why, /no common steps.*put the step into their names/);
    assert.equal(compareRuns(before, run(unnamed(await digestsOf('gone'))), NO_WORKSPACE).fix?.answer, 'gone');
  });

  it('compares snapshots of the same step, and growth still adds up', async () => {
    const report = await compared('leak', 'gone');
    assert.deepEqual([report.a.step, report.b.step], [20, 20]);
    const live = (side: CompareReport['a']): number => side.devices.reduce((sum, one) => sum + one.liveBytes, 0);
    const growth = [...report.lines, ...Object.values(report.buckets)].reduce((sum, one) => sum + one.growthBytes, 0);
    assert.equal(growth, live(report.b) - live(report.a));
  });

  it('is requested by any two snapshots of two runs, not by two of one', async () => {
    const before = await digestsOf('leak');
    const after = await digestsOf('gone');
    const known = [...before, ...after];
    assert.equal(buildCompare(before[1], after[0], NO_WORKSPACE, known).fix?.answer, 'gone');
    assert.equal(buildCompare(before[0], before[3], NO_WORKSPACE, known).fix, null);
    assert.equal(buildCompare(before[0], before[0], NO_WORKSPACE).fix, null);
  });
});
