import type { Tree } from '@lezer/common';

/** A node of the parser's tree as a plain object: its readers look at siblings and children many times. */
export interface SyntaxPart {
  readonly name: string;
  readonly from: number;
  readonly to: number;
  /** The children, without comments and errors. */
  readonly parts: SyntaxPart[];
}

/** The complete tree, in one walk. */
export function syntaxParts(tree: Tree): SyntaxPart {
  const top: SyntaxPart = { name: tree.type.name, from: 0, to: tree.length, parts: [] };
  const open: SyntaxPart[] = [top];
  tree.iterate({
    enter: ({ type, from, to }) => {
      if (type.isTop) return true;
      if (type.isError || type.name === 'Comment') return false;
      const part: SyntaxPart = { name: type.name, from, to, parts: [] };
      open[open.length - 1].parts.push(part);
      open.push(part);
      return true;
    },
    leave: ({ type }) => {
      if (!type.isTop) open.pop();
    },
  });
  return top;
}
