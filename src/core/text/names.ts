/** Recorded names inside a text: each printer shows them in its own way, as code, as a link or as they are. */
import { visibleText } from './plainText.js';

const BEGIN = '\u0002';
const END = '\u0003';

/** Marks a recorded name. It cannot end early, because control characters of recorded text become visible. */
export function named(name: string): string {
  return BEGIN + visibleText(name) + END;
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
  const [first, ...parts] = text.split(BEGIN);
  return (
    plain(first) +
    parts
      .map((part, ordinal) => {
        const end = part.indexOf(END);
        return name(part.slice(0, end), ordinal) + plain(part.slice(end + 1));
      })
      .join('')
  );
}

/** Prints a name, or a text, unchanged. */
export function asItIs(text: string): string {
  return text;
}
