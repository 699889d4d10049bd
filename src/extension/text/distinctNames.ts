import { groupBy } from '../../core/maps.js';

/**
 * Short names of files or folders, with parent folders where needed to distinguish them. @param short the preferred
 * name
 */
export function distinctNames(paths: ReadonlySet<string>, short: (path: string) => string): Map<string, string> {
  const names = new Map<string, string>();
  for (const [name, alike] of groupBy(paths, short)) {
    const parts = alike.map((path) => path.split(/[/\\]/));
    const longest = Math.max(...parts.map(({ length }) => length));
    let depth = name.split('/').length;
    const ends = (): string[] => parts.map((part) => part.slice(-depth).join('/'));
    while (depth < longest && new Set(ends()).size < alike.length) depth++;
    alike.forEach((path, i) => names.set(path, alike.length === 1 ? name : ends()[i]));
  }
  return names;
}
