/** Where a line of a text is after edits. All lines here are 0-based. */

/** A document, or a stand-in for one. */
export interface TextLines {
  readonly lineCount: number;
  lineAt(line: number): { readonly text: string };
}

/** One replacement in a text. */
export interface LineEdit {
  readonly startLine: number;
  readonly endLine: number;
  readonly endCharacter: number;
  /** Line breaks in what was put there. */
  readonly addedLines: number;
}

/** How far from where it should be a line is looked for. */
const SEARCHED_LINES = 50;

/**
 * The place of a line after an edit.
 * @param indent characters of white space that the line begins with: an edit that ends there leaves the line whole
 */
export function shiftLine(line: number, indent: number, edit: LineEdit): number {
  const { startLine, endLine, endCharacter, addedLines } = edit;
  if (line < startLine) return line;
  if (line > endLine) return line + addedLines - (endLine - startLine);
  const tailKept = line === endLine && (endCharacter <= indent || line !== startLine);
  // Where git or another program wrote the file anew, all of it is one edit: the line is about where it was.
  return tailKept ? startLine + addedLines : Math.min(line, startLine + addedLines);
}

/** The line nearest to `near` that reads exactly so, null if there is none close by. */
export function findLine(lines: TextLines, near: number, text: string): number | null {
  const reads = (line: number): boolean => line >= 0 && line < lines.lineCount && lines.lineAt(line).text === text;
  for (let distance = 0; distance <= SEARCHED_LINES; distance++) {
    if (reads(near - distance)) return near - distance;
    if (reads(near + distance)) return near + distance;
  }
  return null;
}

/**
 * Tells where a line of an earlier text is likely to be now: lines before the first difference and after the last one have
 * kept their distance from that end.
 */
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
