import assert from 'node:assert/strict';
import {
  IgnoreFileError,
  parseIgnoredLeaks,
  withBaseline,
  withIgnored,
  withIgnoredLeak,
  withoutIgnoredLeaks,
  type IgnoredLeak,
} from '../../../src/core/report/ignoredLeaks.js';
import { verdictSentence } from '../../../src/core/present/runText.js';
import { lineReport, snapshotReport, MiB, report, runReport } from '../extension/support/reports.js';

const statement = { text: "history['aux'].append(aux_loss)", occurrence: 1 };
const leak: IgnoredLeak = {
  file: 'train.py',
  function: 'train',
  statement: statement.text,
  occurrence: 1,
  line: 26,
  reason: null,
  inBaseline: false,
};
const ignores = (line: Parameters<typeof lineReport>[0], ...leaks: IgnoredLeak[]): boolean =>
  withIgnored(report(runReport([lineReport(line)])), leaks).runs[0].lines[0].ignored;

describe('A leak that is ignored', () => {
  it('is identified by the text of its line, at any place', () => {
    assert.ok(ignores({ statement }, leak));
    assert.ok(ignores({ statement, line: 90 }, leak));
    assert.ok(!ignores({ statement: { ...statement, text: 'losses.append(aux_loss)' } }, leak));
  });

  it('does not match a line of equal text elsewhere', () => {
    assert.ok(!ignores({ statement, file: 'other.py' }, leak));
    assert.ok(!ignores({ statement, function: 'evaluate' }, leak));
    assert.ok(!ignores({ statement: { ...statement, occurrence: 2 } }, leak));
    assert.ok(!ignores({ statement, mapped: false }, leak));
  });

  it('is known by its place where the text that ran is gone', () => {
    assert.ok(ignores({ statement: null }, leak));
    assert.ok(!ignores({ statement: null, line: 27 }, leak));
  });

  it('no longer counts for its run', () => {
    const forecast = { stepsToOom: 10, low: 9, high: 11, capacityBytes: 1 };
    const steady = lineReport({ line: 3, verdict: 'plateau' });
    const snapshots = [snapshotReport(), snapshotReport(), snapshotReport()];
    const run = runReport([lineReport({ statement }), steady], { forecast, snapshots });
    const [quiet] = withIgnored(report(run), [leak]).runs;
    assert.equal(quiet.verdict, 'plateau');
    assert.equal(quiet.forecast, null);
    assert.equal(verdictSentence(quiet), 'No new leak. 1 line is ignored.');
    assert.equal(
      verdictSentence(runReport([steady], { verdict: 'plateau', snapshots })),
      'Memory rose and stays level.',
    );
    const other = lineReport({ line: 4, leakedBytes: MiB });
    const [still] = withIgnored(report({ ...run, lines: [...run.lines, other] }), [leak]).runs;
    assert.equal(still.verdict, 'leak');
    assert.deepEqual(still.forecast, forecast);
  });
});

describe('The ignore file', () => {
  it('is written, read and written again without loss of other entries', () => {
    const first = withIgnoredLeak(null, leak);
    assert.deepEqual(parseIgnoredLeaks(first), [leak]);
    const noted = JSON.stringify({ ...(JSON.parse(first) as object), note: 'ours' });
    const second = { ...leak, occurrence: 2, reason: 'a cache, on purpose' };
    const both = withIgnoredLeak(noted, second);
    assert.deepEqual(parseIgnoredLeaks(both), [leak, second]);
    assert.match(both, /"note": "ours"/);
    assert.deepEqual(parseIgnoredLeaks(withIgnoredLeak(both, { ...leak, line: 40 })), [second, { ...leak, line: 40 }]);
    assert.deepEqual(parseIgnoredLeaks(withoutIgnoredLeaks(both, ({ occurrence }) => occurrence === 2)), [leak]);
  });

  it('holds a baseline, which is replaced as a whole and marks its lines', () => {
    const [first, second] = [leak, { ...leak, occurrence: 2 }].map((one) => ({ ...one, inBaseline: true }));
    const old = withBaseline(withIgnoredLeak(null, { ...leak, function: 'evaluate' }), [first, second]);
    const text = withBaseline(old, [second]);
    assert.deepEqual(parseIgnoredLeaks(text), [{ ...leak, function: 'evaluate' }, second]);
    assert.deepEqual(parseIgnoredLeaks(withBaseline(null, [first])), [first]);
    const marked = withIgnored(report(runReport([lineReport({ statement })])), [first]).runs[0].lines[0];
    assert.deepEqual([marked.ignored, marked.inBaseline], [true, true]);
    // Both say so: what people wrote is said.
    const both = withIgnored(
      report(runReport([lineReport({ statement })])),
      parseIgnoredLeaks(withIgnoredLeak(old, leak)),
    );
    assert.equal(both.runs[0].lines[0].inBaseline, false);
    assert.deepEqual(parseIgnoredLeaks(withoutIgnoredLeaks(text, ({ function: name }) => name === 'train')), [
      { ...leak, function: 'evaluate' },
    ]);
  });

  it('is rejected in one sentence when it is invalid', () => {
    const bad: [string, RegExp][] = [
      ['{', /not JSON/],
      ['[]', /no object/],
      ['{"ignoredLeaks": 3}', /not a list/],
      ['{"ignoredLeaks": [{"file": "a.py"}]}', /entry 1 of "ignoredLeaks"/],
      ['{"baseline": [{"file": "a.py"}]}', /entry 1 of "baseline"/],
      [`{"ignoredLeaks": [${'0,'.repeat(10_000)}0]}`, /more than 10000/],
    ];
    for (const [text, expected] of bad) {
      assert.throws(
        () => parseIgnoredLeaks(text),
        (error) => error instanceof IgnoreFileError && expected.test(error.message),
      );
    }
  });
});
