/** Text from a snapshot is anybody's text. Here it becomes text that a terminal or a table only shows. */

/** C0 and C1 controls, line separators, and marks that turn the direction of what follows. */
// eslint-disable-next-line no-control-regex -- these are what is looked for
const UNSEEN = /[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;

/** Shows characters that would act on a terminal, or hide, as `\u001b`. */
export function visibleText(text: string): string {
  return text.replace(UNSEEN, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** The same value in JSON, with those characters escaped in its texts. */
export function visibleJson(value: unknown): string {
  return JSON.stringify(value, null, 2).replace(UNSEEN, (sign) => (sign === '\n' ? sign : visibleText(sign)));
}
