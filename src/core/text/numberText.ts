/** Numbers as text: in English, until another language is set. */

/** The separators of thousands and decimals. */
interface Signs {
  readonly group: string;
  readonly point: string;
}

const ENGLISH: Signs = { group: ',', point: '.' };

let language = 'en';
/** Null until the first number: the runtime takes tens of milliseconds to look up its first language. */
let signs: Signs | null = ENGLISH;

/** Writes numbers of this thread as a language does. @param locale such as `de` */
export function useLocale(locale: string): void {
  language = locale;
  signs = locale === 'en' ? ENGLISH : null;
}

/** All digits, in groups of three: `1,048,576`. Exact, so that columns can be added up. */
export function countText(count: number): string {
  return String(count).replace(/\B(?=(\d{3})+$)/g, signsNow().group);
}

/** With this many decimals: `52.0`. */
export function decimalText(value: number, digits: number): string {
  return value.toFixed(digits).replace('.', signsNow().point);
}

function signsNow(): Signs {
  signs ??= signsOf(language);
  return signs;
}

function signsOf(locale: string): Signs {
  const parts = new Intl.NumberFormat(locale, { minimumFractionDigits: 1 }).formatToParts(1234567);
  const sign = (type: 'group' | 'decimal'): string => parts.find((part) => part.type === type)?.value ?? '';
  return { group: sign('group'), point: sign('decimal') };
}
