import { getOrAdd } from '../../maps.js';

/** More candidates of equal quality prove nothing; siblings must decide. */
const MAX_CANDIDATES = 50;

/** Finds the files that share the most trailing components with a path. */
export class SuffixIndex {
  /** Files by their own name. */
  private readonly byName = new Map<string, number[]>();
  /** Files by their folder's name and their own: a project has many `__init__.py`, and few in folders of one name. */
  private readonly byTwoNames = new Map<string, number[]>();

  /** @param paths components of each file, its own name last */
  constructor(private readonly paths: readonly (readonly string[])[]) {
    paths.forEach((names, file) => {
      getOrAdd(this.byName, names[names.length - 1], () => []).push(file);
      if (names.length > 1) getOrAdd(this.byTwoNames, twoNames(names), () => []).push(file);
    });
  }

  /** @returns how many components the best candidates share, and the candidates; none if there are too many. */
  longest(names: readonly string[]): { length: number; files: readonly number[] } {
    let best = 1;
    let files: number[] = [];
    const sharing = this.byTwoNames.get(twoNames(names)) ?? this.byName.get(names[names.length - 1]) ?? [];
    for (const file of sharing) {
      const length = commonSuffix(names, this.paths[file]);
      if (length < best) continue;
      if (length > best) files = [];
      best = length;
      files.push(file);
    }
    return { length: best, files: files.length > MAX_CANDIDATES ? [] : files };
  }
}

function twoNames(names: readonly string[]): string {
  return `${names[names.length - 2] ?? ''}/${names[names.length - 1]}`;
}

function commonSuffix(a: readonly string[], b: readonly string[]): number {
  const common = Math.min(a.length, b.length);
  let length = 0;
  while (length < common && a[a.length - 1 - length] === b[b.length - 1 - length]) length++;
  return length;
}
