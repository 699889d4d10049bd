/** Texts in the language of the editor: the page has them as data, with English for missing ones. */

/** Where the page has them. In tests of single modules there is no page. */
const data = typeof document === 'undefined' ? null : document.getElementById('texts')?.textContent;
const texts = new Map(Object.entries(JSON.parse(data ?? '{}') as Record<string, string>));

/**
 * @param message English text with `{0}`, `{1}` …, as a literal: the test of the other languages collects it from the
 *   call
 */
export function t(message: string, ...args: readonly (string | number)[]): string {
  const text = texts.get(message) ?? message;
  return text.replace(/\{(\d+)\}/g, (placeholder, index: string) => String(args.at(Number(index)) ?? placeholder));
}
