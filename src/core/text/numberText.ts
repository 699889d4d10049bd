/** Numbers and bytes as text: in English, until another language is set. */

/** The separators of thousands and decimals. */
interface Signs {
  readonly group: string;
  readonly point: string;
}

const ENGLISH: Signs = { group: ',', point: '.' };

const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB'] as const;

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

/** An estimate with three significant digits. */
export function estimate(count: number): number {
  return Number(count.toPrecision(3));
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

/** Bytes in IEC units with at most four digits: `52.0 MiB`, `340 KiB`, `1012 B`. */
export function byteText(bytes: number): string {
  const { amount, unit } = scaledBytes(bytes);
  return `${decimalText(amount, unit === 'B' || Math.abs(amount) >= 99.95 ? 0 : 1)} ${unit}`;
}

/** An amount in the largest unit in which it is 1 or more. */
export function scaledBytes(bytes: number): { amount: number; unit: string } {
  let amount = bytes;
  let unit = 0;
  // 1023.5 and above would print as 1024.
  while (Math.abs(amount) >= (unit === 0 ? 1024 : 1023.5) && unit < UNITS.length - 1) {
    amount /= 1024;
    unit++;
  }
  return { amount, unit: UNITS[unit] };
}

/** Reads an amount such as `18 GiB`; null if the text is none. */
export function parseBytes(text: string): number | null {
  const [, amount, word] = /^(\d{1,15}(?:\.\d{1,9})?) ?([KMGT]iB|B)$/.exec(text.trim()) ?? [];
  const unit = UNITS.findIndex((one) => one === word);
  return unit < 0 ? null : Math.round(Number(amount) * 1024 ** unit);
}

/** Like {@link byteText}, with a plus sign before growth. */
export function signedByteText(bytes: number): string {
  return bytes > 0 ? `+${byteText(bytes)}` : byteText(bytes);
}
