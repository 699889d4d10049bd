import type { Place } from '../facts/evidence.js';
import { basename } from '../text/pathText.js';
import { tCount } from '../text/translate.js';

/** `train.py:88` */
export function placeText({ file, line }: Place): string {
  return `${basename(file)}:${line}`;
}

/** How often a loop repeated. */
export function repeatedText(place: Place, rounds: number): string {
  return tCount(rounds, 'The loop at {1} repeated 1 time.', 'The loop at {1} repeated {0} times.', placeText(place));
}
