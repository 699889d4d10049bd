import assert from 'node:assert/strict';
import type { CompareLine } from '../../../src/core/report/report.js';
import { grownSince } from '../../../src/core/present/comparison.js';
import { presentFinding, presentLine } from '../../../src/core/present/presented.js';
import { snapshotName } from '../../../src/core/present/shortText.js';
import { findingMarks } from '../../../src/extension/results/findingMarks.js';
import {
  comparedLines,
  byFile,
  isInEditor,
  isOfOtherText,
  lineMarks,
  neighborMark,
} from '../../../src/extension/results/lineMarks.js';
import { lineReport, MiB, report, runReport, snapshotReport } from './support/reports.js';

const lensesOf = (...args: Parameters<typeof report>): string[] =>
  lineMarks(report(...args)).map((mark) => presentLine(mark).lens);

describe('Marks of a report', () => {
  it('show the leak, its rate and its bytes so far, in about forty characters', () => {
    const big = lineReport({ leakedBytes: 1.2 * 2 ** 30, bytesPerStep: 52 * MiB });
    assert.deepEqual(lensesOf(runReport([big])), ['▲ Leaks 52.0 MiB/step (1.2 GiB so far)']);
    assert.deepEqual(lensesOf(runReport([lineReport({ bytesPerStep: null })])), ['▲ Leaks 11.0 MiB so far']);
  });

  it('count per snapshot where the run has no steps', () => {
    assert.match(lensesOf(runReport([lineReport()], { steps: 'snapshots' }))[0], / 1\.0 MiB\/snapshot \(/);
  });

  it('show growth for too few snapshots, and nothing for shrinking lines', () => {
    const early = lineReport({ verdict: 'tooShort', bytesPerStep: null, leakedBytes: 0 });
    assert.deepEqual(lensesOf(runReport([early])), ['▫ Grows 10.0 MiB (too few snapshots for a verdict)']);
    assert.deepEqual(lensesOf(runReport([{ ...early, growthBytes: 0 }])), []);
    assert.deepEqual(lensesOf(runReport([{ ...early, growthBytes: -5 }])), []);
  });

  it('name the file that leaks where it was not found, and not the line that calls it', () => {
    const unfound = { file: 'C:\\job\\parts\\model.py', line: 5, function: 'forward' };
    for (const verdict of ['leak', 'cycle'] as const) {
      const [lens] = lensesOf(runReport([lineReport({ verdict, unfound })]));
      assert.match(lens, / MiB .*· in model\.py:5, not found$/);
    }
  });

  it('are of another text where the recorder saw the file and it has its statement no more', () => {
    const recorder = { commit: null, files: [{ file: 'train.py', sha256: 'ab' }] };
    const statement = { text: 'x = y', occurrence: 1 };
    const isOther = (line: Parameters<typeof lineReport>[0], sources: typeof recorder | null): boolean =>
      isOfOtherText(lineMarks(report(runReport([lineReport(line)], { sources })))[0]);
    assert.ok(isOther({}, recorder));
    assert.ok(!isOther({ statement }, recorder));
    assert.ok(!isOther({}, null));
    assert.ok(!isOther({ file: 'other.py' }, recorder));
  });

  it('have a text of their own for reference cycles', () => {
    const cycle = lineReport({ verdict: 'cycle', series: [MiB, 9 * MiB, 0, 30 * MiB, 2 * MiB] });
    assert.deepEqual(lensesOf(runReport([cycle])), ['↻ Reference cycle holds up to 30.0 MiB']);
  });

  it('are in the editor for growth, unless it may be all right: a bound that fits, or a part of a network', () => {
    const bound = { name: 'queue', file: 'train.py', line: 3, isFull: false, fits: true };
    const isShown = (over: Parameters<typeof lineReport>[0]): boolean =>
      lineMarks(report(runReport([lineReport({ verdict: 'growing', ...over })]))).some(isInEditor);
    assert.ok(isShown({}));
    assert.ok(!isShown({ bound }));
    assert.ok(isShown({ bound: { ...bound, fits: false } }));
    assert.ok(!isShown({ mayBeLimited: true }));
    assert.ok(!isShown({ category: 'optimizerState' }));
    assert.ok(isShown({ verdict: 'leak', category: 'optimizerState' }));
  });

  it('are silent on lines that are calm', () => {
    for (const verdict of ['steady', 'plateau', 'oneOff', 'periodic'] as const) {
      assert.deepEqual(lensesOf(runReport([lineReport({ verdict })])), [], verdict);
    }
  });

  it('add up inside a run and never over runs; the worst run speaks', () => {
    const one = runReport([lineReport({ function: 'f' }), lineReport({ function: '<lambda>', leakedBytes: MiB })], {
      rank: 0,
    });
    const two = runReport([lineReport({ leakedBytes: 3 * MiB })], { id: 'two', rank: 1 });
    const [mark, ...others] = lineMarks(report(two, one));
    assert.deepEqual(others, []);
    assert.equal(mark.parts[0].line.leakedBytes, 12 * MiB);
    assert.equal(mark.parts[0].line.blocks, 680);
    assert.equal(mark.parts.length, 2);
    assert.match(presentLine(mark).lens, /^▲ Leaks 2\.0 MiB\/step \(12\.0 MiB so far\) · rank 0 \+1$/);
  });

  it('name the rank that leaks where another does not', () => {
    const calm = runReport([lineReport({ verdict: 'steady' })], { id: 'calm', rank: 1 });
    assert.match(lensesOf(runReport([lineReport()], { rank: 0 }), calm)[0], /· rank 0$/);
    // A run without a rank is not another one.
    const other = runReport([lineReport({ line: 7 })], { id: 'other' });
    assert.match(lensesOf(runReport([lineReport()], { rank: 0 }), other)[0], /so far\)$/);
  });

  it('are sorted worst first, and by line in their file', () => {
    const lines = [
      lineReport({ line: 9, verdict: 'tooShort', growthBytes: 900 * MiB }),
      lineReport({ line: 5, leakedBytes: MiB }),
      lineReport({ line: 7, leakedBytes: 2 * MiB }),
    ];
    const marks = lineMarks(report(runReport(lines)));
    assert.deepEqual(
      marks.map(({ line }) => line),
      [7, 5, 9],
    );
    assert.deepEqual(
      byFile(marks)
        .get('train.py')
        ?.map(({ line }) => line),
      [5, 7, 9],
    );
  });

  it('keep a recorded file apart from a workspace file of the same name', () => {
    const marks = lineMarks(report(runReport([lineReport(), lineReport({ mapped: false })])));
    assert.equal(marks.length, 2);
  });

  it('lead to the holder at the end of the line, or show the trend', () => {
    const [mark] = lineMarks(report(runReport([lineReport()])));
    assert.equal(presentLine(mark).end, '▂▅█ 2.0 MiB → 12.0 MiB');
    assert.equal(presentLine(mark).endAlone, '▲ Leaks 1.0 MiB/step (11.0 MiB so far)  ▂▅█ 2.0 MiB → 12.0 MiB');
    const holder = {
      source: 'recorder' as const,
      file: 'src/train.py',
      line: 26,
      name: `history['aux']`,
      text: `history['aux']`,
      fix: null,
      edit: null,
    };
    const wayTo = (file: string, line = 27): string => {
      const [held] = lineMarks(report(runReport([lineReport({ holder: { ...holder, file, line } })])));
      return presentLine(held).end;
    };
    assert.equal(wayTo('src/train.py'), '▂▅█ → held at train.py:27');
    assert.equal(wayTo(mark.file), '▂▅█ → held at line 27');
    assert.equal(wayTo(mark.file, mark.line), `▂▅█ history['aux']`);
  });

  it('have at most 64 characters after the line, and keep the amount where not all has room', () => {
    const file = `${'deeply_nested_'.repeat(8)}module.py`;
    const name = 'self.statistics.'.repeat(9);
    const holder = { source: 'recorder' as const, file, line: 123456, name, text: name, fix: null, edit: null };
    for (const verdict of ['leak', 'growing', 'cycle', 'tooShort'] as const) {
      for (const unfound of [null, { file, line: 123456, function: 'forward' }]) {
        const whole = report(runReport([lineReport({ verdict, holder, unfound })]));
        const marks = lineMarks(whole);
        const [finding] = findingMarks(whole, marks, () => true);
        for (const { answer, end, endAlone } of [presentLine(marks[0]), presentFinding(finding.parts[0])]) {
          assert.ok(end.length <= 64 && endAlone.length <= 64, `${end}\n${endAlone}`);
          assert.equal(endAlone.slice(2, answer.length + 2), answer);
        }
      }
    }
  });
});

describe('Going from mark to mark', () => {
  const marks = [
    { file: 'b.py', line: 3 },
    { file: 'a.py', line: 20 },
    { file: 'a.py', line: 7 },
  ];
  const from = (file: string, line: number, direction: 1 | -1): string => {
    const mark = neighborMark(marks, { file, line }, direction);
    return `${mark?.file}:${mark?.line}`;
  };

  it('goes down the file, on to the next one, and round', () => {
    assert.equal(from('a.py', 1, 1), 'a.py:7');
    assert.equal(from('a.py', 7, 1), 'a.py:20');
    assert.equal(from('a.py', 20, 1), 'b.py:3');
    assert.equal(from('b.py', 3, 1), 'a.py:7');
    assert.equal(from('z.py', 1, 1), 'a.py:7');
  });

  it('goes back the same way', () => {
    assert.equal(from('b.py', 3, -1), 'a.py:20');
    assert.equal(from('a.py', 7, -1), 'b.py:3');
  });

  it('begins at the worst, which comes first, without a place, and has nowhere to go without marks', () => {
    assert.deepEqual(neighborMark(marks, null, 1), { file: 'b.py', line: 3 });
    assert.equal(neighborMark(marks.slice(3), null, 1), undefined);
  });
});

describe('Marks of a comparison', () => {
  const line = (over: Partial<CompareLine>): CompareLine => ({
    file: 'train.py',
    line: 3,
    function: 'f',
    mapped: true,
    bytesA: MiB,
    bytesB: 13 * MiB,
    growthBytes: 12 * MiB,
    blocksA: 1,
    blocksB: 2,
    flow: null,
    stacks: [],
    ...over,
  });

  it('show the growth since the first snapshot, signed', () => {
    assert.equal(grownSince(12 * MiB, '/s/snap_0010.pickle'), '+12.0 MiB since snap_0010');
    assert.equal(grownSince(-3 * MiB, 'C:\\s\\a.pkl'), '-3.0 MiB since a');
  });

  it('shorten a long name', () => {
    const name = snapshotName('/s/very_long_experiment_name_step_000400.pickle');
    assert.ok(name.length <= 20 && name.startsWith('very_') && name.endsWith('000400'), name);
  });

  it('add up functions of one line, and leave out unchanged ones', () => {
    const cell = { bytesA: 0, bytesB: 0, growthBytes: 0, blocksA: 0, blocksB: 0, flow: null };
    const lines = [line({}), line({ function: '<lambda>', growthBytes: MiB }), line({ line: 4, growthBytes: 0 })];
    lines.push(line({ line: 9, growthBytes: -20 * MiB }));
    const found = comparedLines({
      configurations: null,
      schema: 'leakline.compare/1',
      reused: false,
      a: snapshotReport(),
      b: snapshotReport(),
      lines,
      otherLines: { lines: 0, ...cell },
      fix: null,
      buckets: { library: cell, beforeRecording: cell },
      noStack: cell,
    });
    assert.deepEqual(
      found.map((item) => [item.line, item.growthBytes]),
      [
        [9, -20 * MiB],
        [3, 13 * MiB],
      ],
      'the largest change first',
    );
  });
});
