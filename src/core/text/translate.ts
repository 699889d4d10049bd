/**
 * Translates the core's text. English stands in the calls, as whole sentences; another language comes from outside, as
 * a table from these. Nothing may be decided by what this returns.
 */
import { countText, useLocale } from './numberText.js';

/** Texts of one language, by the English ones. */
export type Translations = Readonly<Record<string, string>>;

let translations: Translations = {};

/**
 * Makes this thread speak another language from now on, and write numbers as it does.
 * @param texts those without an entry stay English; that of `en` names the language
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
 * A text with a count: one for 1, another for all other numbers.
 * @param count `{0}`, with separators between thousands; `args` follow from `{1}` on
 */
export function tCount(count: number, one: string, many: string, ...args: readonly (string | number)[]): string {
  return t(count === 1 ? one : many, countText(count), ...args);
}
