/** A place of a source file in words. */

/** Maximum of folders shown of a path. */
const SHOWN_FOLDERS = 1;

/** The part after the last separator, of paths of any system. */
export function fileName(file: string): string {
  return file.split(/[\\/]/).at(-1) ?? file;
}

/** `…/models/det.py`: the end of a path that begins at a root; one of the workspace as it is. */
export function pathEnd(file: string): string {
  if (!/^(?:[\\/]|[A-Za-z]:)/.test(file)) return file;
  const parts = file.split(/[\\/]/);
  const end = parts.slice(-1 - SHOWN_FOLDERS);
  return end.length < parts.filter((part) => part !== '').length ? `…/${end.join('/')}` : file;
}

/** `train.py:26`; the file alone where no line is known. */
export function placeText(file: string, line: number): string {
  return line > 0 ? `${file}:${line}` : file;
}
