interface Node {
  readonly next: Map<string, Node>;
  readonly files: number[];
}

/** More equally good candidates than this tell nothing; siblings must decide. */
const MAX_CANDIDATES = 50;

/** Finds the files that share the most trailing components with a path. */
export class SuffixIndex {
  private readonly root: Node = { next: new Map(), files: [] };

  /** `names` ends with the file's own name. */
  add(names: readonly string[], file: number): void {
    let at = this.root;
    for (let i = names.length - 1; i >= 0; i--) {
      const name = names[i] ?? '';
      let next = at.next.get(name);
      if (next === undefined) at.next.set(name, (next = { next: new Map(), files: [] }));
      at = next;
      if (at.files.length <= MAX_CANDIDATES) at.files.push(file);
    }
  }

  /** @returns how many components the best candidates share, and the candidates; none if there are too many. */
  longest(names: readonly string[]): { length: number; files: readonly number[] } {
    let at = this.root;
    let length = 0;
    while (length < names.length) {
      const next = at.next.get(names[names.length - 1 - length] ?? '');
      if (next === undefined) break;
      at = next;
      length++;
    }
    return { length, files: length === 0 || at.files.length > MAX_CANDIDATES ? [] : at.files };
  }
}
