import assert from 'node:assert/strict';
import { findingEvidence } from '../../../src/core/present/evidenceText.js';
import { findingsOf, lineBytes } from '../../../src/core/report/findings.js';
import { findingSentence } from '../../../src/core/present/findingSentence.js';
import type { HolderReport, LineReport } from '../../../src/core/report/report.js';
import { seededRandom } from '../../support/seededRandom.js';
import { lineReport, MiB } from '../extension/support/reports.js';

function heldAt(line: number, over: Partial<HolderReport> = {}): Pick<LineReport, 'holder'> {
  return {
    holder: {
      ...{ source: 'recorder', file: 'train.py', line, name: 'kept', text: 'kept', fix: null, edit: null },
      ...over,
    },
  };
}

describe('A finding', () => {
  it('is the holding statement, with all lines that allocate its memory', () => {
    const findings = findingsOf([
      lineReport({ file: 'model.py', line: 14, leakedBytes: 5 * MiB, ...heldAt(26) }),
      lineReport({ file: 'model.py', line: 20, leakedBytes: 7 * MiB, bytesPerStep: 2 * MiB, ...heldAt(26) }),
      lineReport({ file: 'train.py', line: 26, leakedBytes: MiB, ...heldAt(26) }),
    ]);
    assert.deepEqual(
      findings.map(({ file, line, bytes, bytesPerStep, lines }) => ({
        ...{ file, line, bytes, bytesPerStep },
        lines: lines.map((one) => one.line),
      })),
      [{ file: 'train.py', line: 26, bytes: 13 * MiB, bytesPerStep: 4 * MiB, lines: [20, 14, 26] }],
    );
  });

  it('is one for two statements whose memory one missing call releases', () => {
    const call = 'curve.reset()';
    const findings = findingsOf([
      lineReport({ line: 1, leakedBytes: 9 * MiB, ...heldAt(385, { call }) }),
      lineReport({ line: 2, leakedBytes: MiB, ...heldAt(386, { call }) }),
      lineReport({ line: 3, leakedBytes: MiB, ...heldAt(386) }),
    ]);
    assert.deepEqual(
      findings.map(({ line, bytes }) => [line, bytes]),
      [
        [385, 10 * MiB],
        [386, MiB],
      ],
    );
  });

  it('has grown by what its growing stacks hold, confirmed or not', () => {
    const of = { liveBytes: 4 * MiB, growthBytes: 2 * MiB, growingBytes: 3 * MiB, leakedBytes: 3 * MiB };
    for (const verdict of ['leak', 'growing'] as const)
      assert.equal(lineBytes(lineReport({ ...of, verdict })), 3 * MiB);
  });

  it('has evidence on all of its lines, and not on one of several', () => {
    const evidence = {
      ...{ from: 'lifetimes' as const, steps: 40, allocatedOnSteps: [], birthSteps: 40, survivors: 40 },
      ...{ oldestFreedAge: null, usualFreedAge: null, floors: [0, MiB, 2 * MiB], drops: 0, gaps: 0, reason: 'Why.' },
    };
    const other = { ...evidence, birthSteps: 39, floors: [0, 0, MiB], reason: 'Other.' };
    const [finding] = findingsOf([
      lineReport({ line: 14, evidence, ...heldAt(26) }),
      lineReport({ line: 20, leakedBytes: MiB, evidence: other, ...heldAt(26) }),
    ]);
    assert.match(
      findingEvidence(finding) ?? '',
      /^Allocations from 40 of 40 steps .* Live bytes never fell: 0 B at first, 3\.0 MiB at last\. Why\.$/,
    );
  });

  it('is the line that allocates where no holder is known', () => {
    const [finding, ...others] = findingsOf([lineReport({ line: 3, function: 'f' }), lineReport({ line: 3 })]);
    assert.deepEqual(others, []);
    assert.deepEqual([finding.line, finding.holder, finding.lines.length], [3, null, 2]);
  });

  it('reports only its worst verdict: growth beside a leak is not leaked', () => {
    const [finding] = findingsOf([
      lineReport({ line: 1, verdict: 'growing', growthBytes: 90 * MiB, ...heldAt(26) }),
      lineReport({ line: 2, leakedBytes: 5 * MiB, ...heldAt(26) }),
    ]);
    assert.deepEqual(
      [finding.verdict, finding.bytes, finding.lines.map(({ line }) => line)],
      ['leak', 5 * MiB, [2, 1]],
    );
    assert.equal(findingSentence(finding, 'annotations', null), 'Leaks 1.0 MiB/step (5.0 MiB so far)');
  });

  it('has the fix of the line whose fix is an edit', () => {
    const edit = { title: 'Detach', file: 'train.py', changes: [], lines: [] };
    const [finding] = findingsOf([
      lineReport({ line: 1, leakedBytes: 9 * MiB, ...heldAt(26) }),
      lineReport({ line: 2, leakedBytes: MiB, ...heldAt(26, { fix: 'Detach it.', edit }) }),
    ]);
    assert.equal(finding.holder?.edit, edit);
  });

  it('takes each line once, and loses none, for any lines and holders', () => {
    const pick = seededRandom(61);
    for (let turn = 0; turn < 100; turn++) {
      const lines = Array.from({ length: pick(15) }, (_, at) =>
        lineReport({
          ...{ line: at + 1, leakedBytes: pick(1000), growthBytes: pick(1000) },
          verdict: (['leak', 'cycle', 'growing', 'tooShort'] as const)[pick(4)],
          ...(pick(3) === 0 ? {} : heldAt(1 + pick(4))),
        }),
      );
      const findings = findingsOf(lines);
      const told = findings.flatMap((finding) => finding.lines);
      assert.equal(new Set(told).size, lines.length);
      assert.equal(told.length, lines.length);
      for (const { verdict, bytes, lines: of } of findings.filter((one) => one.verdict !== 'cycle')) {
        const same = of.filter((line) => line.verdict === verdict);
        assert.equal(
          bytes,
          same.reduce((sum, line) => sum + lineBytes(line), 0),
        );
      }
      assert.equal(new Set(findings.map(({ file, line }) => `${file}:${line}`)).size, findings.length);
    }
  });
});
