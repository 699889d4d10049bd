/** The rank of a process, as paths name it. */

const RANK = /(?:^|[^a-z])rank[_-]?(\d+)/i;
/** SGLang's; other programs write the number of ranks in small letters. */
const TENSOR_RANK = /(?:^|[^A-Za-z])TP-(\d+)/;

/** The rank that a path names, as launchers write it (`rank0_…`, `…/rank1/…`, `TP-0`), null if it names none. */
export function rankOf(path: string): number | null {
  const name = path.replaceAll('\\', '/');
  const match = RANK.exec(name) ?? TENSOR_RANK.exec(name);
  return match === null ? null : Number(match[1]);
}

/** The rank that a user's pattern finds in a path as its first group. */
export function rankByPattern(path: string, pattern: RegExp | null): number | null {
  const digits = pattern?.exec(path)?.[1] ?? '';
  return /^\d{1,9}$/.test(digits) ? Number(digits) : null;
}

/** A name with its rank left open. */
export function withoutRank(name: string): string {
  return name.replaceAll(/rank[_-]?\d+/gi, 'rank#').replace(TENSOR_RANK, (match) => match.replace(/\d+$/, '#'));
}
