/** How many values of an ascending list are not above `value`. */
export function countUpTo(ascending: ArrayLike<number>, value: number): number {
  let low = 0;
  let high = ascending.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (ascending[middle] <= value) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** How many of the first `count` indices satisfy a test that none satisfies after the first that does not. */
export function countWhile(count: number, holds: (index: number) => boolean): number {
  let low = 0;
  let high = count;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (holds(middle)) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The values of ascending columns, each once, ascending. */
export function distinctOf(columns: readonly Uint32Array[]): Uint32Array {
  const all = new Uint32Array(columns.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const column of columns) {
    all.set(column, at);
    at += column.length;
  }
  if (columns.length > 1) all.sort();
  return all.filter((value, i) => i === 0 || value !== all[i - 1]);
}
