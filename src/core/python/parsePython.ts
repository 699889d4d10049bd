import type { Tree } from '@lezer/common';
import { parser } from '@lezer/python';

/** No source that a person wrote is longer; generated tables are. */
export const MOST_CHARACTERS = 1 << 20;
/** Milliseconds that one file may take: a file of 2,000 lines takes ten. */
const MOST_TIME = 1500;
/** Parser steps between two looks at the clock. */
const STEPS = 2048;

/**
 * Parses Python. Errors in the source are stepped over: what stands before and after them is in the tree.
 * @param now milliseconds of any clock
 * @returns null if the source is too long, or takes too long
 */
export function parsePython(text: string, now: () => number): Tree | null {
  if (text.length > MOST_CHARACTERS) return null;
  const end = now() + MOST_TIME;
  const parse = parser.startParse(text);
  for (;;) {
    for (let step = 0; step < STEPS; step++) {
      const tree = parse.advance();
      if (tree !== null) return tree;
    }
    if (now() > end) return null;
  }
}
