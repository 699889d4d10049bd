/** Maximum number of folders shown of a path. */
const SHOWN_FOLDERS = 1;

/** `…/models/det.py`: the end of a path that begins at a root; one of the workspace as it is. */
export function pathEnd(file: string): string {
  if (!/^(?:[\\/]|[A-Za-z]:)/.test(file)) return file;
  const parts = file.split(/[\\/]/);
  const end = parts.slice(-1 - SHOWN_FOLDERS);
  return end.length < parts.filter((part) => part !== '').length ? `…/${end.join('/')}` : file;
}
