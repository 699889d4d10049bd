import assert from 'node:assert/strict';
import type { SourceEdit } from '../../src/core/report/report.js';

/** A file after an edit of a report, and the first line that it changes as it then reads. */
export function applied(edit: SourceEdit, text: string): { text: string; line: string } {
  const lines = text.split('\n');
  for (const { startLine, startColumn, endLine, endColumn, newText } of [...edit.changes].reverse()) {
    assert.equal(startLine, endLine);
    const line = lines[startLine];
    lines[startLine] = line.slice(0, startColumn) + newText + line.slice(endColumn);
  }
  return { text: lines.join('\n'), line: lines[edit.changes[0].startLine].trim() };
}
