import { isWindowsPath } from '../model/recordedFile.js';

/** A path of the training machine, split. */
export interface RecordedPath {
  readonly windows: boolean;
  /** What stands before the first name: `/`, `c:`, `\\` (a share), or empty where the path is relative. */
  readonly root: string;
  /** The names as recorded, without `.`, `..` and empty ones. */
  readonly names: readonly string[];
}

/** Splits a recorded path; never fails, whatever the text. */
export function splitRecordedPath(text: string): RecordedPath {
  const windows = isWindowsPath(text);
  const path = windows ? text.replace(/^\\\\\?\\(?:UNC(?=\\))?/, (match) => (match.length > 4 ? '\\' : '')) : text;
  const parts = path.split(windows ? /[\\/]/ : '/');
  let root = '';
  if (windows && /^[A-Za-z]:$/.test(parts[0] ?? '')) root = (parts.shift() ?? '').toLowerCase();
  else if (parts.length > 1 && parts[0] === '') root = windows ? '\\\\' : '/';
  const names: string[] = [];
  for (const part of parts) {
    if (part === '..') names.pop();
    else if (part !== '' && part !== '.') names.push(part);
  }
  return { windows, root, names };
}

/** The text of a folder, as a person would write it on that machine, without a separator at the end. */
export function joinRecordedPath({ windows, root }: RecordedPath, names: readonly string[]): string {
  if (!windows) return root === '/' ? names.map((name) => `/${name}`).join('') : names.join('/');
  return (root.endsWith(':') ? [root.toUpperCase(), ...names] : [...(root === '' ? [] : ['\\']), ...names]).join('\\');
}
