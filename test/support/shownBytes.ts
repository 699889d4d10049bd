/** Amounts as people read them, such as `1.2 GiB`, held against exact bytes. */
import assert from 'node:assert/strict';

const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];

/** The amounts that a text names, in its order: the interval of bytes that each may stand for. */
function shownAmounts(text: string): { shown: string; low: number; high: number }[] {
  return [...text.matchAll(/([+\u2212-]?)(\d+(?:\.(\d+))?)[ \u00a0](B|KiB|MiB|GiB|TiB)\b/g)].map((match) => {
    const [shown, sign = '', digits = '', decimals = '', unit = 'B'] = match;
    const scale = 1024 ** units.indexOf(unit);
    const value = Number(digits) * (sign === '' || sign === '+' ? 1 : -1) * scale;
    const slack = unit === 'B' ? 0 : (scale * 10 ** -decimals.length) / 2;
    return { shown, low: value - slack, high: value + slack };
  });
}

/** Fails unless the first amount in `text` is `bytes`, rounded to the digits shown. */
export function assertShows(text: string, bytes: number): void {
  const amount = shownAmounts(text).at(0);
  assert.ok(amount !== undefined, `no amount of bytes in '${text}'`);
  assert.ok(bytes >= amount.low && bytes <= amount.high, `'${amount.shown}' is not ${bytes} bytes`);
}

/** Fails unless a sentence on a leak says that `bytes` leaked so far. */
export function assertLeaked(sentence: string, bytes: number): void {
  assertShows(/[\d.,]+ [KMGT]?i?B(?= so far)/.exec(sentence)?.[0] ?? sentence, bytes);
}
