/** The folder of a path of any system, with `/` and one at its end; empty where the path names none. */
export function folderOf(path: string): string {
  const slashed = path.replaceAll('\\', '/');
  return slashed.slice(0, slashed.lastIndexOf('/') + 1);
}
