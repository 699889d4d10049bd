import assert from 'node:assert/strict';
import { findingMarks } from '../../../src/extension/results/findingMarks.js';
import { lineMarks } from '../../../src/extension/results/lineMarks.js';
import {
  fileNodes,
  findingNodes,
  hasLines,
  type FindingNode,
  type LineNode,
} from '../../../src/extension/views/leakNodes.js';
import { lineReport, MiB, report, runReport } from './support/reports.js';

const kept = { name: 'Model.kept', text: 'Model.kept' };
const holder = { source: 'recorder', file: 'model.py', line: 9, ...kept, fix: null, edit: null } as const;

function nodes(...runs: Parameters<typeof report>): FindingNode[] {
  const whole = report(...runs);
  return findingNodes(
    findingMarks(whole, lineMarks(whole), () => true),
    false,
  );
}
const rows = (...runs: Parameters<typeof report>): LineNode[] => nodes(...runs).flatMap(({ lines }) => lines);

describe('Rows of the Leaks view', () => {
  const lines = [
    lineReport({ file: 'a.py', line: 1, leakedBytes: 5 * MiB, holder }),
    lineReport({ file: 'b.py', line: 2, leakedBytes: 3 * MiB, holder: null }),
    lineReport({ file: 'a.py', line: 7, leakedBytes: 2 * MiB, holder }),
  ];

  it('are findings: the statement that holds, with the lines that allocate below it', () => {
    assert.deepEqual(
      nodes(runReport(lines)).map((node) => [node.file, node.line, node.lines.map(({ line }) => line), hasLines(node)]),
      [
        ['model.py', 9, [1, 7], true],
        ['b.py', 2, [2], false],
      ],
    );
  });

  it('by file: each line once, bytes of a file added up', () => {
    assert.deepEqual(
      fileNodes(rows(runReport(lines))).map(({ name, bytes, lines: { length } }) => [name, bytes, length]),
      [
        ['a.py', 7 * MiB, 2],
        ['b.py', 3 * MiB, 1],
      ],
    );
  });

  it('never add up bytes of different runs', () => {
    const all = rows(runReport([lines[0]], { id: 'x' }), runReport([lines[2]], { id: 'y' }));
    assert.deepEqual(
      fileNodes(all).map(({ bytes, lines: { length } }) => [bytes, length]),
      [[null, 2]],
    );
  });
});
