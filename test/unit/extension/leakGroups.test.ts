import assert from 'node:assert/strict';
import { findingMarks, holdsOthers, type FindingMark } from '../../../src/extension/results/findingMarks.js';
import { lineMarks, linesByFile, type LineMark } from '../../../src/extension/results/lineMarks.js';
import { lineReport, MiB, report, runReport } from './support/reports.js';

const kept = { name: 'Model.kept', text: 'Model.kept' };
const holder = { source: 'recorder', file: 'model.py', line: 9, ...kept, fix: null, edit: null } as const;

function findings(...runs: Parameters<typeof report>): FindingMark[] {
  const whole = report(...runs);
  return findingMarks(whole, lineMarks(whole), () => true);
}
const rows = (...runs: Parameters<typeof report>): LineMark[] => findings(...runs).flatMap(({ lines }) => lines);

describe('Rows of the Leaks view', () => {
  const lines = [
    lineReport({ file: 'a.py', line: 1, leakedBytes: 5 * MiB, holder }),
    lineReport({ file: 'b.py', line: 2, leakedBytes: 3 * MiB, holder: null }),
    lineReport({ file: 'a.py', line: 7, leakedBytes: 2 * MiB, holder }),
  ];

  it('are findings: the statement that holds, with the lines that allocate below it', () => {
    assert.deepEqual(
      findings(runReport(lines)).map((one) => [
        one.file,
        one.line,
        one.lines.map(({ line }) => line),
        holdsOthers(one),
      ]),
      [
        ['model.py', 9, [1, 7], true],
        ['b.py', 2, [2], false],
      ],
    );
  });

  it('by file: each line once, bytes of a file added up', () => {
    assert.deepEqual(
      linesByFile(rows(runReport(lines))).map(({ name, bytes, marks: { length } }) => [name, bytes, length]),
      [
        ['a.py', 7 * MiB, 2],
        ['b.py', 3 * MiB, 1],
      ],
    );
  });

  it('never add up bytes of different runs', () => {
    const all = rows(runReport([lines[0]], { id: 'x' }), runReport([lines[2]], { id: 'y' }));
    assert.deepEqual(
      linesByFile(all).map(({ bytes, marks: { length } }) => [bytes, length]),
      [[null, 2]],
    );
  });
});
