import assert from 'node:assert/strict';
import type { SourceEdit } from '../../../src/core/report/report.js';
import { fixOffset } from '../../../src/extension/marks/trackedLine.js';

const source = [
  'losses = []',
  'for batch in data:',
  '    loss = step(batch)',
  '    losses.append(loss)',
  'print(losses)',
];
const edit: SourceEdit = {
  title: 'Append a float',
  file: 'train.py',
  changes: [{ startLine: 3, startColumn: 18, endLine: 3, endColumn: 22, newText: 'loss.item()' }],
  lines: [
    { line: 2, text: source[2] },
    { line: 3, text: source[3] },
  ],
};
const offset = (lines: readonly string[]): number | null =>
  fixOffset(edit, { lineCount: lines.length, lineAt: (line) => ({ text: lines[line] }) });

describe('A fix', () => {
  it('applies if its lines are unchanged, also further up or down', () => {
    assert.equal(offset(source), 0);
    assert.equal(offset(['import torch', '', ...source]), 2);
    assert.equal(offset(source.slice(1)), -1);
  });

  it('does not apply if one of its lines is changed, moved or gone', () => {
    const changed = (at: number, text: string): string[] => source.map((line, i) => (i === at ? text : line));
    assert.equal(offset(changed(3, '    losses.append(loss.item())')), null);
    assert.equal(offset(changed(2, '    loss = other(batch)')), null);
    assert.equal(offset([...source.slice(0, 3), '    log(loss)', ...source.slice(3)]), null);
    assert.equal(offset(source.slice(0, 3)), null);
    assert.equal(fixOffset({ ...edit, lines: [] }, { lineCount: 0, lineAt: () => ({ text: '' }) }), null);
  });
});
