import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeFacts } from '../../../src/cli/fleet/facts.js';
import { digestSnapshot, type SnapshotDigest } from '../../../src/core/digest/digest.js';
import { renderMarkdown } from '../../../src/core/render/renderMarkdown.js';
import { renderCompareText, renderText } from '../../../src/core/render/renderText.js';
import { boundCompare, boundRuns } from '../../../src/core/report/boundReport.js';
import { buildCompare } from '../../../src/core/report/compare/buildCompare.js';
import { buildReport } from '../../../src/core/report/buildReport.js';
import { isSuspect } from '../../../src/core/report/lineSelection.js';
import type { CompareLine, CompareReport, LineReport, PeakReport, Report } from '../../../src/core/report/report.js';
import { compareTable } from '../../../src/worker/compareAnswers.js';
import { FIXTURES, picklesUnder, readFile } from '../../support/snapshots.js';

const ALL = { maxLines: Infinity };
const NOWHERE = { files: [], rules: [] };
/** Characters: room for nothing, for less and less of the lines, for all lines but not all stacks, and for all. */
const SIZES = [0, 700, 3000, 9000, 30_000, Infinity];

const summed = <Row>(rows: readonly Row[], figure: (row: Row) => number): number =>
  rows.reduce((sum, row) => sum + figure(row), 0);
const lengthOf = (value: object): number => JSON.stringify(value).length;

/** Lines from the largest on, while all that were taken fit together. */
function fitting<Line extends object>(
  lines: readonly Line[],
  max: number,
  order: (a: Line, b: Line) => number,
): Line[] {
  const sorted = [...lines].sort(order);
  const lengths = sorted.map((line) => lengthOf({ ...line, stacks: [] }));
  return sorted.filter((_, i) => summed(lengths.slice(0, i + 1), (length) => length) <= max);
}

const placeOf = ({ file, line, function: name }: LineReport | CompareLine): string => `${file}:${line} ${name}`;

/** The exact bytes in a table's rows, and in its last. */
function columnOf(text: string, column: RegExp): { rows: number; total: number } {
  const bytes = [...text.matchAll(column)].map(([, digits]) => Number(digits.replaceAll(',', '')));
  return { rows: summed(bytes.slice(0, -1), (row) => row), total: bytes[bytes.length - 1] };
}

describe('A report beyond its size', () => {
  let digests: SnapshotDigest[];
  const reportWithin = (max: number): Report => {
    const { report } = buildReport(digests, NOWHERE);
    // Small lines leak, too.
    for (const line of report.runs.flatMap(({ lines }) => lines.filter((_, i) => i % 3 === 2)))
      Object.assign(line, { verdict: 'leak', leakedBytes: line.liveBytes });
    boundRuns(report.runs, max);
    return report;
  };

  before(async () => {
    const paths = ['recordings/aux_loss', 'recordings/two_ranks'].flatMap((folder) =>
      picklesUnder(join(FIXTURES, folder)),
    );
    digests = await Promise.all(paths.map(async (path) => digestSnapshot(path, await readFile(path))));
  });

  it('names the largest lines that fit, suspects first, and adds up with the others', () => {
    const whole = reportWithin(Infinity).runs;
    const all = whole.flatMap(({ id, lines }) => lines.map((line) => ({ ...line, id })));
    for (const max of SIZES) {
      const { runs } = reportWithin(max);
      const kept = fitting(
        whole.flatMap(({ lines }) => lines),
        max,
        (a, b) => Number(isSuspect(b)) - Number(isSuspect(a)) || b.liveBytes - a.liveBytes,
      );
      assert.deepEqual(
        runs.flatMap(({ lines }) => lines.map(placeOf)).sort(),
        kept.map(placeOf).sort(),
        `${max} characters`,
      );
      runs.forEach(({ lines, otherLines, peaks }, i) => {
        for (const figure of ['liveBytes', 'growthBytes', 'leakedBytes', 'blocks'] as const)
          assert.equal(
            summed([...lines, otherLines], (line) => line[figure]),
            summed(whole[i].lines, (line) => line[figure]),
            `${figure} in ${max} characters`,
          );
        assert.equal(lines.length + otherLines.lines, whole[i].lines.length);
        const inPeak = ({ lines: held, otherLines: others }: PeakReport): number[] => [
          summed([...held, others], ({ bytes }) => bytes),
          summed([...held, others], ({ blocks }) => blocks),
          held.length + others.lines,
        ];
        assert.deepEqual(peaks.map(inPeak), whole[i].peaks.map(inPeak));
      });
    }
    assert.ok(all.some(isSuspect) && all.some((line) => !isSuspect(line)));
  });

  it('has the largest stacks of a line, and one for the others', () => {
    const sums = ({ stacks }: LineReport): number[] => [
      summed(stacks, ({ liveBytes }) => liveBytes),
      summed(stacks, ({ blocks }) => blocks),
    ];
    const whole = new Map(
      reportWithin(Infinity).runs.flatMap((run) => run.lines.map((line) => [placeOf(line) + run.id, line])),
    );
    const cut = SIZES.map((max) => {
      const lines = reportWithin(max).runs.flatMap((run) => run.lines.map((line) => ({ line, id: run.id })));
      for (const { line, id } of lines) assert.deepEqual(sums(line), sums(whole.get(placeOf(line) + id) ?? line));
      return lines.filter(({ line, id }) => line.stacks.length < (whole.get(placeOf(line) + id)?.stacks.length ?? 0))
        .length;
    });
    assert.ok(Math.max(...cut) > 0);
    assert.equal(cut.at(-1), 0);
  });

  it('is the same if each run was bounded before', () => {
    for (const most of SIZES) {
      const { runs } = reportWithin(Infinity);
      for (const run of runs) boundRuns([run], most);
      boundRuns(runs, most);
      assert.deepEqual(runs, reportWithin(most).runs, `${most} characters`);
    }
  });

  it('has a total for all ranks of a job, and may be bounded again', () => {
    const [run] = reportWithin(Infinity).runs;
    const [line] = run.lines;
    const long = { ...line, function: 'f'.repeat(1 << 15), stacks: [] };
    const ranks = Array.from({ length: 4200 }, () => ({
      ...run,
      lines: [long, { ...long }],
      peak: null,
      peaks: [],
      atExit: [],
      laterGrowth: null,
      scopes: [],
      outOfMemory: [],
    }));
    boundRuns(ranks);
    const size = summed(ranks, ({ lines }) => summed(lines, lengthOf));
    assert.ok(size <= 2 ** 26 && size > 2 ** 26 - 2 ** 16, `${size} characters`);
    const { lines } = run.otherLines;
    const left = (): number => summed(ranks, ({ otherLines }) => otherLines.lines - lines);
    assert.equal(left() + summed(ranks, (rank) => rank.lines.length), 8400);
    const once = left();
    boundRuns(ranks);
    assert.equal(left(), once);
  });

  it('adds up as text, as Markdown and as tables', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'leakline-bound-'));
    for (const most of SIZES) {
      const report = reportWithin(most);
      for (const run of report.runs) {
        const one = { ...report, runs: [run] };
        const live = summed(run.snapshots[run.snapshots.length - 1].devices, ({ liveBytes }) => liveBytes);
        const table = renderText(one, ALL).split('VERDICT')[1].split('\n\n')[0];
        const { rows, total } = columnOf(table, /^.*? B? *?[KMG]?i?B +([\d,]+) /gm);
        assert.deepEqual([rows, total], [live, live], `${run.id} in ${most} characters`);
        const { lines } = run.otherLines;
        if (lines > 0) {
          const name = new RegExp(`${lines} other lines?`);
          assert.match(table, name);
          assert.match(renderMarkdown(one, ALL), name);
        }
      }
      await writeFacts(report, folder, 'json');
      const parts = readdirSync(join(folder, 'lines')).map((name) => readFileSync(join(folder, 'lines', name), 'utf8'));
      const facts = parts
        .flatMap((text) => text.trim().split('\n'))
        .map((row) => JSON.parse(row) as Record<string, unknown>);
      assert.equal(
        summed(facts, (row) => (row['is_last'] === true ? Number(row['bytes']) : 0)),
        summed(report.runs, ({ snapshots }) =>
          summed(snapshots[snapshots.length - 1].devices, ({ liveBytes }) => liveBytes),
        ),
      );
    }
    rmSync(folder, { recursive: true });
  });

  it('of two snapshots names the lines that changed most, and adds up with the others', () => {
    const compared = (max: number): CompareReport => {
      const report = buildCompare(digests[0], digests[digests.length - 1], NOWHERE);
      boundCompare(report, max);
      return report;
    };
    const whole = compared(Infinity);
    const growth = whole.b.devices[0].liveBytes - whole.a.devices[0].liveBytes;
    for (const most of SIZES) {
      const report = compared(most);
      const kept = fitting(
        whole.lines,
        most,
        (a, b) => Math.abs(b.growthBytes) - Math.abs(a.growthBytes) || b.bytesB - a.bytesB,
      );
      assert.deepEqual(report.lines.map(placeOf).sort(), kept.map(placeOf).sort());
      const { rows, total } = columnOf(renderCompareText(report, ALL).split('GROWTH')[1], /^.*?B +\+?(-?[\d,]+) /gm);
      assert.deepEqual([rows, total], [growth, growth]);
      const table = compareTable(report);
      assert.equal(table.total.growthBytes, growth);
      assert.equal(
        summed([...table.rows, table.others], (row) => row.growthBytes),
        growth,
      );
      assert.equal(table.otherLines, whole.lines.length - kept.length);
      for (const line of report.lines)
        assert.equal(
          summed(line.stacks, (stack) => stack.growthBytes),
          line.growthBytes,
        );
    }
  });
});
