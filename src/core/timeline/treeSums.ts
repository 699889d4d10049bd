import type { CallId, CallPaths } from './callPaths.js';
import type { CallTree } from './callTree.js';

/**
 * What paths bring to the rows of a tree that was made of them, or of some of them: each value once to every row on its
 * path. A call that the tree has no row for counts with the merged siblings, or with its caller if there are none.
 * @param focus the calls down to the first row
 */
export function treeSums(
  paths: Pick<CallPaths, 'count' | 'offset' | 'calls'>,
  tree: CallTree,
  focus: readonly CallId[],
  values: readonly ArrayLike<number>[],
): Float64Array[] {
  const rows = tree.parent.length;
  const named = new Map<string, number>();
  const merged = new Map<number, number>();
  for (let row = 1; row < rows; row++) {
    if (tree.merged[row] > 0) merged.set(tree.parent[row], row);
    else named.set(`${tree.parent[row]}/${tree.call[row]}`, row);
  }
  const sums = values.map(() => new Float64Array(rows));
  for (let path = 0; path < paths.count; path++) {
    const first = paths.offset[path];
    const end = paths.offset[path + 1];
    if (end - first < focus.length || focus.some((call, depth) => paths.calls[first + depth] !== call)) continue;
    let row: number | undefined = 0;
    for (let at = first + focus.length; row !== undefined; at++) {
      for (const [i, of] of values.entries()) sums[i][row] += of[path];
      if (at >= end) break;
      row = named.get(`${row}/${paths.calls[at]}`) ?? merged.get(row);
      if (row !== undefined && tree.merged[row] > 0) at = end - 1;
    }
  }
  return sums;
}
