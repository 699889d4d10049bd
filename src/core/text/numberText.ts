/** Numbers as people read them: as in English, until the thread is told of another language. */

/** What stands between thousands, and before what is less than one. */
let signs = { group: ',', point: '.' };

/** Writes numbers of this thread as a language does. @param locale such as `de` */
export function useLocale(locale: string): void {
  const parts = new Intl.NumberFormat(locale, { minimumFractionDigits: 1 }).formatToParts(1234567);
  const sign = (type: 'group' | 'decimal'): string => parts.find((part) => part.type === type)?.value ?? '';
  signs = { group: sign('group'), point: sign('decimal') };
}

/** All digits, in groups of three: `1,048,576`. Exact, so that columns can be added up. */
export function countText(count: number): string {
  return String(count).replace(/\B(?=(\d{3})+$)/g, signs.group);
}

/** So many digits behind the point: `52.0`. */
export function decimalText(value: number, digits: number): string {
  return value.toFixed(digits).replace('.', signs.point);
}
