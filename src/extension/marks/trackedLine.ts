/** Where a line of a text is after edits. All lines here are 0-based. */

import type { SourceEdit } from '../../core/report/report.js';

/** The used part of a document. */
export interface TextLines {
  readonly lineCount: number;
  lineAt(line: number): { readonly text: string };
}

/** One replacement in a text. */
export interface LineEdit {
  readonly startLine: number;
  readonly endLine: number;
  readonly endCharacter: number;
  /** Number of line breaks in the inserted text. */
  readonly addedLines: number;
}

/** Maximum distance of the search for a line. */
const SEARCHED_LINES = 50;

/**
 * The place of a line after an edit. @param indent its leading white space: an edit that ends there does not change the
 * line
 */
export function shiftLine(line: number, indent: number, edit: LineEdit): number {
  const { startLine, endLine, endCharacter, addedLines } = edit;
  if (line < startLine) return line;
  if (line > endLine) return line + addedLines - (endLine - startLine);
  const tailRemains = line === endLine && (endCharacter <= indent || line !== startLine);
  // If git or another program rewrote the file, the edit covers all of it: the line is near its old place.
  return tailRemains ? startLine + addedLines : Math.min(line, startLine + addedLines);
}

/** The line nearest to `near` with exactly this text; null if none is close. */
export function findLine(lines: TextLines, near: number, text: string): number | null {
  const reads = (line: number): boolean => line >= 0 && line < lines.lineCount && lines.lineAt(line).text === text;
  for (let distance = 0; distance <= SEARCHED_LINES; distance++) {
    if (reads(near - distance)) return near - distance;
    if (reads(near + distance)) return near + distance;
  }
  return null;
}

/** The likely place of a line of an earlier text: lines before the first difference and after the last one stay. */
export function lineCarrier(before: readonly string[], now: TextLines): (line: number) => number {
  const shorter = Math.min(before.length, now.lineCount);
  let same = 0;
  while (same < shorter && before[same] === now.lineAt(same).text) same++;
  const { lineCount } = now;
  const grown = lineCount - before.length;
  let end = before.length;
  while (end > same && end + grown > same && before[end - 1] === now.lineAt(end - 1 + grown).text) end--;
  return (line) => (line < same ? line : line >= end ? line + grown : Math.min(line, lineCount - 1));
}

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
