import assert from 'node:assert/strict';
import { NO_BUDGET, overBudget, parseBudget, type Budget } from '../../../src/core/report/budget.js';
import { IgnoreFileError } from '../../../src/core/report/ignoredLeaks.js';
import type { LineReport, RunReport } from '../../../src/core/report/report.js';
import { lineReport, MiB, report, runReport, snapshotReport } from '../extension/support/reports.js';

const messages = (budget: Partial<Budget>, lines: LineReport[], over: Partial<RunReport> = {}): string[] =>
  overBudget(report(runReport(lines, over)), { ...NO_BUDGET, ...budget }).map(({ message }) => message);
const entry = { file: 'train.py', function: 'train', statement: 'losses.append(loss)', line: 26 };
const statement = { text: entry.statement, occurrence: 1 };

describe('A budget', () => {
  it('is read from the ignore file, in sizes as people write them', () => {
    const budget = {
      leakBytesPerStep: '0 B',
      peakBytes: '1.5GiB',
      lines: [
        { file: 'eval.py', leakBytesPerStep: 1024 },
        { ...entry, leakBytesPerStep: '2 MiB' },
      ],
    };
    const { leakBytesPerStep, peakBytes, lines } = parseBudget(JSON.stringify({ budget }));
    assert.deepEqual([leakBytesPerStep, peakBytes], [0, 1.5 * 1024 * MiB]);
    assert.deepEqual(
      lines.map(({ file, leak, leakBytesPerStep: bytes }) => [file, leak?.statement, bytes]),
      [
        ['eval.py', undefined, 1024],
        ['train.py', entry.statement, 2 * MiB],
      ],
    );
    assert.deepEqual(parseBudget('{"ignoredLeaks": []}'), NO_BUDGET);
  });

  it('is rejected in one sentence when it is invalid, so that it never allows everything', () => {
    const bad: [budget: unknown, sentence: RegExp][] = [
      [3, /"budget" is not an object/],
      [{ leakBytesPerSteps: '0 B' }, /"budget\.leakBytesPerSteps" is not known/],
      [{ peakBytes: '18 GB' }, /"budget\.peakBytes" is not a size, such as "18 GiB"/],
      [{ peakBytes: -1 }, /"budget\.peakBytes" is not a size/],
      [{ lines: {} }, /"budget\.lines" is not a list/],
      [{ lines: new Array(10_001).fill({ file: 'a.py', leakBytesPerStep: 0 }) }, /"budget\.lines" has more than 10000/],
      [{ lines: [{ file: 'a.py' }] }, /"budget\.lines\.0\.leakBytesPerStep" is (missing|not a size)/],
      [{ lines: [{ file: 'a.py', line: 3, leakBytesPerStep: 0 }] }, /entry 1 of "lines" needs "file", "function"/],
    ];
    for (const [budget, sentence] of bad) {
      assert.throws(
        () => parseBudget(JSON.stringify({ budget })),
        (error) => error instanceof IgnoreFileError && sentence.test(error.message),
      );
    }
  });

  it('names line, measured and allowed value of an exceeded amount, and nothing else', () => {
    const leak = lineReport();
    assert.deepEqual(messages({ leakBytesPerStep: MiB }, [leak]), []);
    assert.deepEqual(messages({ leakBytesPerStep: MiB / 2 }, [leak]), [
      'train.py:26 leaks 1.0 MiB/step; the budget is 512 KiB/step.',
    ]);
    assert.deepEqual(messages({ leakBytesPerStep: MiB - 1 }, [leak]), [
      'train.py:26 leaks 1,048,576 B/step; the budget is 1,048,575 B/step.',
    ]);
    const other = lineReport({ file: 'eval.py', line: 3, bytesPerStep: MiB / 2, leakedBytes: MiB });
    assert.deepEqual(messages({ leakBytesPerStep: MiB }, [leak, other], { rank: 0 }), [
      'train.py:26 and 1 other leak 1.5 MiB/step; the budget is 1.0 MiB/step.',
    ]);
  });

  it('counts leaks only: neither unconfirmed growth nor ignored lines', () => {
    const calm = [lineReport({ verdict: 'growing' }), lineReport({ ignored: true, inBaseline: true })];
    assert.deepEqual(messages({ leakBytesPerStep: 0 }, calm), []);
  });

  it('of a line or a file is apart from that of the rest', () => {
    const leak = lineReport({ statement });
    const other = lineReport({ file: 'eval.py', line: 3 });
    const lines = parseBudget(
      JSON.stringify({
        budget: {
          lines: [
            { ...entry, leakBytesPerStep: '1 MiB' },
            { file: 'eval.py', leakBytesPerStep: 0 },
          ],
        },
      }),
    ).lines;
    assert.deepEqual(messages({ leakBytesPerStep: 0, lines }, [leak, other]), [
      'eval.py:3 leaks 1.0 MiB/step; the budget is 0 B/step.',
    ]);
    const elsewhere = lineReport({ statement: { ...statement, occurrence: 2 }, line: 40 });
    assert.deepEqual(messages({ leakBytesPerStep: 0, lines }, [leak, elsewhere]), [
      'train.py:40 leaks 1.0 MiB/step; the budget is 0 B/step.',
    ]);
  });

  it('is exceeded by a leak whose rate per step is not known', () => {
    const expected = ['train.py:26 leaks 11.0 MiB so far at an unknown rate; the budget is 64.0 MiB/step.'];
    const budget = { leakBytesPerStep: 64 * MiB };
    assert.deepEqual(messages(budget, [lineReport({ bytesPerStep: null })], { steps: null }), expected);
    assert.deepEqual(messages(budget, [lineReport()], { steps: 'snapshots' }), expected);
  });

  it('of the peak is of the device that holds most, in snapshots too', () => {
    assert.deepEqual(messages({ peakBytes: 100 * MiB }, []), []);
    const peak = {
      device: 1,
      liveBytes: 300 * MiB,
      at: { file: 'model.py', line: 9, function: 'forward', mapped: true },
    };
    const peaks = [peak] as unknown as RunReport['peaks'];
    assert.deepEqual(messages({ peakBytes: 200 * MiB }, [], { peaks }), [
      'Device 1 reaches 300 MiB at model.py:9; the budget is 200 MiB.',
    ]);
    const devices = [
      { device: 2, liveBytes: 400 * MiB, reservedBytes: null, requestedBytes: null, privatePoolBytes: 0 },
    ];
    assert.deepEqual(messages({ peakBytes: 200 * MiB }, [], { peaks, snapshots: [snapshotReport({ devices })] }), [
      'Device 2 reaches 400 MiB; the budget is 200 MiB.',
    ]);
  });

  it('that several ranks exceed is reported once, for the worst', () => {
    const ranks = [1, 3, 2].map((rate, rank) => runReport([lineReport({ bytesPerStep: rate * MiB })], { rank }));
    const over = overBudget(report(...ranks), { ...NO_BUDGET, leakBytesPerStep: 0 });
    assert.deepEqual(
      over.map(({ measuredBytes, allowedBytes, at, message }) => [measuredBytes, allowedBytes, at, message]),
      [
        [
          3 * MiB,
          0,
          { file: 'train.py', line: 26 },
          'train.py:26 leaks 3.0 MiB/step on rank 1; the budget is 0 B/step.',
        ],
      ],
    );
  });
});
