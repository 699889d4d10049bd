/** Recorded names inside a text: each printer shows them in its own way, as code, as a link or as they are. */
import { visibleText } from './plainText.js';

const BEGIN = '\u0002';
const END = '\u0003';

/** Marks a recorded name. It cannot end early, because control characters of recorded text become visible. */
export function named(name: string): string {
  return BEGIN + visibleText(name) + END;
}

/** A text in parts, of which some are names. */
export function partsOf(text: string): { readonly text: string; readonly isName: boolean }[] {
  const [first, ...parts] = text.split(BEGIN);
  return [
    { text: first, isName: false },
    ...parts.flatMap((part) => {
      const end = part.indexOf(END);
      return [
        { text: part.slice(0, end), isName: true },
        { text: part.slice(end + 1), isName: false },
      ];
    }),
  ];
}

/**
 * A text with its marked names.
 * @param name prints one, by its order from 0
 * @param plain prints what is between them
 */
export function printNames(
  text: string,
  name: (name: string, ordinal: number) => string,
  plain: (text: string) => string,
): string {
  let ordinal = 0;
  return partsOf(text)
    .map((part) => (part.isName ? name(part.text, ordinal++) : plain(part.text)))
    .join('');
}

/** Prints a name, or a text, unchanged. */
export function asItIs(text: string): string {
  return text;
}
