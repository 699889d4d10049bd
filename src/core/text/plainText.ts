/** Text from a snapshot is anybody's text. Here it becomes text that a terminal, a table or an agent only shows. */

/**
 * Characters that a reader does not see, by category: controls, formats, tags, private use, unassigned, halves of a character, line
 * separators, and all that is ignored where it cannot be shown, such as variation selectors and fillers. Spaces stay,
 * because their width shows.
 *
 * Three of them stay where writing needs them, because so placed they change what is seen, and no two can follow each
 * other, so that they spell nothing: U+FE0F after a pictograph or in a keycap, a joiner between two pictographs, and a
 * joiner or a non-joiner between letters of scripts that join letters.
 */
const UNSEEN = new RegExp(
  String.raw`[\p{C}\p{DI}\p{Zl}\p{Zp}]` +
    String.raw`(?<!\p{ExtPict}\ufe0f)(?<![0-9#*]\ufe0f(?=\u20e3))` +
    String.raw`(?<!(?:\p{ExtPict}\ufe0f?|\p{EMod})\u200d(?=\p{ExtPict}))` +
    String.raw`(?<!JOINED[\u200c\u200d](?=JOINED))`.replaceAll(
      'JOINED',
      `[${['Arab', 'Syrc', 'Deva', 'Beng', 'Guru', 'Gujr', 'Orya', 'Taml', 'Telu', 'Knda', 'Mlym', 'Sinh', 'Khmr', 'Mymr'].map((script) => String.raw`\p{Script=${script}}`).join('')}]`,
    ),
  'gu',
);
/** Most texts have nothing else: the search above takes ten times as long. */
const PLAIN = /^[\n -~]*$/;

/** Shows characters that would act on a terminal, or hide, as `\u001b`; those outside the first plane as two. */
export function visibleText(text: string): string {
  return PLAIN.test(text) && !text.includes('\n') ? text : text.replace(UNSEEN, escaped);
}

/** Like visibleText, but keeps line breaks. */
export function visibleLines(text: string): string {
  return PLAIN.test(text) ? text : text.replace(UNSEEN, (sign) => (sign === '\n' ? sign : escaped(sign)));
}

function escaped(sign: string): string {
  const units = Array.from({ length: sign.length }, (_, i) => sign.charCodeAt(i));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('');
}

/** Characters of a piece of JSON, about: a text has room for many more, but a value may have more than a text. */
const PIECE = 1 << 16;
/** Levels that are written item by item: below the lines of a run's report, an item is small enough for one text. */
const LEVELS = 4;

/** Prints a value as JSON in pieces, with two spaces for each level, and invisible characters escaped. */
export function visibleJson(value: unknown, print: (piece: string) => void): void {
  let piece = '';
  const write = (part: string): void => {
    piece += part;
    if (piece.length < PIECE) return;
    print(visibleLines(piece));
    piece = '';
  };
  writeJson(value, '\n', LEVELS, write);
  print(visibleLines(piece));
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
