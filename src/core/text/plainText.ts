/** Text from a snapshot is anybody's text. Here it becomes text that a terminal or a table only shows. */

/** C0 and C1 controls, line separators, and marks that change the direction of text. */
// eslint-disable-next-line no-control-regex -- these are what is looked for
const UNSEEN = /[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;
/** The same in JSON, whose texts have no C0 controls: they are between its parts. */
const UNSEEN_IN_JSON = /[\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;

/** Shows characters that would act on a terminal, or hide, as `\u001b`. */
export function visibleText(text: string): string {
  return text.replace(UNSEEN, escaped);
}

function escaped(sign: string): string {
  return `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/** Characters of a piece of JSON, about: a text has room for many more, but a value may have more than a text. */
const PIECE = 1 << 16;
/** Levels that are written item by item: below the lines of a run's report, an item is small enough for one text. */
const LEVELS = 4;

/** The same value in JSON, two spaces for each level, with those characters escaped in its texts: in pieces. */
export function visibleJson(value: unknown, print: (piece: string) => void): void {
  let piece = '';
  const write = (part: string): void => {
    piece += part;
    if (piece.length < PIECE) return;
    print(piece.replace(UNSEEN_IN_JSON, escaped));
    piece = '';
  };
  writeJson(value, '\n', LEVELS, write);
  print(piece.replace(UNSEEN_IN_JSON, escaped));
}

/** @param line that begins a line at this level */
function writeJson(value: unknown, line: string, levels: number, write: (part: string) => void): void {
  if (typeof value !== 'object' || value === null || levels === 0 || Object.keys(value).length === 0) {
    write(JSON.stringify(value, null, 2).replaceAll('\n', line));
    return;
  }
  const isList = Array.isArray(value);
  const deeper = `${line}  `;
  let before = isList ? '[' : '{';
  for (const [key, item] of Object.entries(value)) {
    if (item === undefined) continue;
    write(`${before}${deeper}${isList ? '' : `${JSON.stringify(key)}: `}`);
    writeJson(item, deeper, levels - 1, write);
    before = ',';
  }
  write(line + (isList ? ']' : '}'));
}
