import type { SourceEdit } from '../../core/report/report.js';
import { findLine, type TextLines } from '../marks/trackedLine.js';

/**
 * The edit of a fix for a text as it is now. The lines that the fix was made for must still say what they said, together
 * and in their order, though they may stand further up or down.
 * @returns how many lines further down they stand, null if they are not there
 */
export function fixOffset(edit: SourceEdit, text: TextLines): number | null {
  const [first] = edit.lines;
  if (edit.lines.length === 0) return null;
  const found = findLine(text, first.line, first.text);
  if (found === null) return null;
  const offset = found - first.line;
  const holds = edit.lines.every(({ line, text: expected }) => {
    const at = line + offset;
    return at >= 0 && at < text.lineCount && text.lineAt(at).text === expected;
  });
  return holds ? offset : null;
}
