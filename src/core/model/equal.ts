type Fields = Record<string, unknown>;

/** True for equal values, arrays and objects of plain data. */
export function isEqual(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a) || Array.isArray(b)) return isEqualList(a as unknown[], b as unknown[]);
  const [now, then] = [a as Fields, b as Fields];
  for (const name in now) if (!isEqual(now[name], then[name])) return false;
  for (const name in then) if (!(name in now)) return false;
  return true;
}

function isEqualList(a: readonly unknown[], b: readonly unknown[]): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (!isEqual(a[i], b[i])) return false;
  return true;
}

/** Plain data with the fields of `before` that are equal. */
export function sharing<Data extends object>(data: Data, before: Data): Data {
  const shared = { ...data };
  for (const name in shared) if (isEqual(shared[name], before[name])) shared[name] = before[name];
  return shared;
}
