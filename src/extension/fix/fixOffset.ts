import type { SourceEdit } from '../../core/report/report.js';
import { findLine, type TextLines } from '../marks/trackedLine.js';

/**
 * The edit of a fix for the current text. The lines of the fix must be unchanged and in order, but may have moved
 * together.
 * @returns by how many lines they moved down, null if they are missing
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
