/**
 * Translates the core's text: English in the calls, other languages from a table. No decision may depend on the result.
 */
import { countText, useLocale } from './numberText.js';

/** Texts of one language, by the English ones. */
export type Translations = Readonly<Record<string, string>>;

let translations: Translations = {};

/**
 * Sets the language and number format of this thread. @param texts by English text; the entry `en` names the language
 */
export function useTranslations(texts: Translations): void {
  translations = texts;
  useLocale(t('en'));
}

/** @param message English text, as a literal, with `{0}`, `{1}` … for the arguments */
export function t(message: string, ...args: readonly (string | number)[]): string {
  const text = Object.hasOwn(translations, message) ? translations[message] : message;
  return text.replace(/\{(\d+)\}/g, (whole, place) => String(args.at(Number(place)) ?? whole));
}

/**
 * A text with a count: one for 1, another for other numbers. @param count `{0}`, formatted; `args` follow from `{1}` on
 */
export function tCount(count: number, one: string, many: string, ...args: readonly (string | number)[]): string {
  return t(count === 1 ? one : many, countText(count), ...args);
}
