/** Texts for places of a limited width. */
import { basename } from '../text/pathText.js';

/** Maximum length of a place. */
const MAX_PLACE = 18;

/** `model.py:14`, its name shortened in the middle where it is long. */
export function shortPlace({ file, line }: { file: string; line: number }): string {
  return `${cutMiddle(basename(file), MAX_PLACE - `:${line}`.length)}:${line}`;
}

/** Cuts a text to a maximum number of characters, and marks the cut with an ellipsis. */
export function cut(text: string, max: number): string {
  return text.length <= max ? text : `${text.slice(0, max - 1)}…`;
}

function cutMiddle(text: string, max: number): string {
  if (text.length <= max) return text;
  const half = (max - 1) >> 1;
  return `${text.slice(0, max - 1 - half)}…${text.slice(-half)}`;
}

/** Maximum length of a snapshot's name. */
const MAX_NAME = 20;

/** The name of a snapshot's file without its ending. */
export function snapshotName(path: string): string {
  return cutMiddle(basename(path).replace(/\.(pickle|pkl)(\.gz)?$/i, ''), MAX_NAME);
}
