/** Paths of snapshots and frames come from any system: both separators apply. */
export function basename(path: string): string {
  return path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1);
}

/** The folder part, empty if there is none. */
export function dirname(path: string): string {
  return path.slice(0, Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\'), 0));
}

/** `train.py:12`, or the file alone where the line is not known. */
export function fileAndLine({ file, line }: { file: string; line: number }): string {
  return line > 0 ? `${file}:${line}` : file;
}

/** `train.py:12`, without folders; of a package with its name: `lightning/…/trainer.py:12`. */
export function nameAndLine({ file, line }: { readonly file: string; readonly line: number }): string {
  const [, name = '', folders = ''] = PACKAGE.exec(file) ?? [];
  const owner = name === '' ? '' : `${name}/${folders === '' ? '' : '…/'}`;
  return `${owner}${basename(file)}:${line}`;
}

/** A package, installed or of the standard library, and the folders in it. */
const PACKAGE =
  /[\\/](?:(?:site|dist)-packages|lib[\\/]python3\.\d+t?)[\\/](?!(?:site|dist)-packages)([^\\/]+)[\\/](.*[\\/])?[^\\/]*$/;

/** Where a line is, in one piece that editors and terminals make a link of. */
export function placeText(place: { file: string; line: number; function: string }): string {
  return `${fileAndLine(place)} (${place.function})`;
}

/** A frame of a stack. */
export function frameText(frame: { file: string; line: number; function: string }): string {
  return `${frame.function} (${nameAndLine(frame)})`;
}
