import assert from 'node:assert/strict';
import { lineMarks } from '../../../src/extension/results/lineMarks.js';
import { groupLines } from '../../../src/extension/views/leakGroups.js';
import type { LineNode } from '../../../src/extension/views/leakNodes.js';
import { lineReport, MiB, report, runReport } from './support/reports.js';

const kept = { name: 'Model.kept', text: 'Model.kept' };
const holder = { source: 'recorder', file: 'model.py', line: 9, ...kept, fix: null, edit: null } as const;

function rows(...runs: Parameters<typeof report>): LineNode[] {
  return lineMarks(report(...runs)).map((mark) => ({
    kind: 'line',
    file: mark.file,
    line: mark.line,
    mark,
    ignored: false,
  }));
}

describe('Rows of the Leaks view, gathered', () => {
  const lines = [
    lineReport({ file: 'a.py', line: 1, leakedBytes: 5 * MiB, holder }),
    lineReport({ file: 'b.py', line: 2, leakedBytes: 3 * MiB, holder: null }),
    lineReport({ file: 'a.py', line: 7, leakedBytes: 2 * MiB, holder }),
  ];

  it('by file: each line once, bytes of a file added up', () => {
    const groups = groupLines(rows(runReport(lines)), 'file');
    assert.deepEqual(
      groups.map(({ name, bytes, lines: { length } }) => [name, bytes, length]),
      [
        ['a.py', 7 * MiB, 2],
        ['b.py', 3 * MiB, 1],
      ],
    );
  });

  it('by who keeps the memory, and the rest together', () => {
    const groups = groupLines(rows(runReport(lines)), 'holder');
    assert.deepEqual(
      groups.map(({ name, place, bytes }) => [name, place, bytes]),
      [
        ['Model.kept', { file: 'model.py', line: 9 }, 7 * MiB],
        [null, null, 3 * MiB],
      ],
    );
  });

  it('never add up bytes of different runs', () => {
    const groups = groupLines(rows(runReport([lines[0]], { id: 'x' }), runReport([lines[2]], { id: 'y' })), 'file');
    assert.deepEqual(
      groups.map(({ bytes, lines: { length } }) => [bytes, length]),
      [[null, 2]],
    );
  });

  it('leave out what the workspace ignores', () => {
    const all = rows(runReport(lines)).map((row) => ({ ...row, ignored: row.file === 'b.py' }));
    assert.deepEqual(
      groupLines(all, 'file').map(({ name }) => name),
      ['a.py'],
    );
  });
});
