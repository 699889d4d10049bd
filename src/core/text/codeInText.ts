/** Code inside a sentence of advice, such as a name or a call. */

const WORD = /^[\p{L}\p{N}'-]+$/u;
const ENDS = '.,;:';

/**
 * Marks the code in a sentence, which is each piece that is not a plain word: in `Clear Model.seen after use (see
 * docs.py:3).`, `Model.seen` and `docs.py:3` are marked. The rest has only letters, digits and punctuation, so it is safe
 * in Markdown.
 */
export function markCode(sentence: string, mark: (code: string) => string): string {
  const pieces: string[] = [];
  let open: string[] = [];
  let depth = 0;
  for (const word of sentence.split(' ')) {
    open.push(word);
    for (const character of word) depth += character === '(' ? 1 : character === ')' ? -1 : 0;
    // An argument list may have spaces.
    if (depth > 0) continue;
    pieces.push(markPiece(open.join(' '), mark));
    open = [];
    depth = 0;
  }
  if (open.length > 0) pieces.push(markPiece(open.join(' '), mark));
  return pieces.join(' ');
}

function markPiece(piece: string, mark: (code: string) => string): string {
  let last = piece.length;
  while (last > 0 && ENDS.includes(piece[last - 1])) last--;
  const [inside, end] = [piece.slice(0, last), piece.slice(last)];
  if (!inside.startsWith('(') || !inside.endsWith(')')) return markWord(inside, mark) + end;
  const words = inside.slice(1, -1).split(' ');
  return `(${words.map((word) => markWord(word, mark)).join(' ')})${end}`;
}

function markWord(word: string, mark: (code: string) => string): string {
  return word === '' || WORD.test(word) ? word : mark(word);
}
