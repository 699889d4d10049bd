/** Maximum number of values in our own files. The parser takes some 50 bytes for each. */
const MAX_LEVELS = 256;
const MAX_VALUES = 1 << 22;

const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;
const CASE = 0x20;
const OPENING = 0x7b;
const CLOSING = 0x7d;

/**
 * Parses a text of which the size alone is bounded.
 * @throws RangeError if it holds more values, or more in each other, than any text that Leakline writes; SyntaxError
 */
export function parseJson(text: string): unknown {
  let levels = 0;
  let values = 0;
  for (let at = 0; at < text.length; at++) {
    const sign = text.charCodeAt(at);
    // `[` and `{` differ in one bit, and so do `]` and `}`.
    const bracket = sign | CASE;
    if (sign === QUOTE) at = endOfText(text, at + 1);
    else if (sign === COMMA) values++;
    else if (bracket === OPENING) {
      values++;
      levels++;
    } else if (bracket === CLOSING) levels--;
    if (levels > MAX_LEVELS || values > MAX_VALUES) throw new RangeError('oversized');
  }
  return JSON.parse(text);
}

/** The place of the quotation mark that ends a text. */
function endOfText(json: string, from: number): number {
  for (let at = from; ; at++) {
    at = json.indexOf('"', at);
    if (at === -1) return json.length;
    let escapes = 0;
    while (json.charCodeAt(at - 1 - escapes) === BACKSLASH) escapes++;
    if (escapes % 2 === 0) return at;
  }
}
