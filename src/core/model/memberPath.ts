/** The path of a snapshot; with its place where the file holds several: `page.html#2`. @param index from 0 */
export function memberPath(file: string, index: number, members: number): string {
  return members === 1 ? file : `${file}#${index + 1}`;
}

/** Splits such a name; null for the name of a file alone. A real file has priority. */
export function splitMember(path: string): { file: string; index: number } | null {
  const match = /^(.+)#([1-9]\d{0,5})$/.exec(path);
  return match === null ? null : { file: match[1], index: Number(match[2]) - 1 };
}
