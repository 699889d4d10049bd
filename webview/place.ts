/** A place of a source file in words. */

/** `train.py:26`; the file alone where no line is known. */
export function placeText(file: string, line: number): string {
  return line > 0 ? `${file}:${line}` : file;
}
