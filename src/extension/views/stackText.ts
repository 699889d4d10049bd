/** Stacks in one row: the frames of the user's own files, innermost first. */
import { basename } from '../text/pathText.js';

interface Frame {
  readonly file: string;
  readonly line: number;
  readonly function: string;
}

const MOST_FRAMES = 3;

export function frameText({ file, line, function: name }: Frame): string {
  return `${name} (${basename(file)}:${line})`;
}

/** @param own true for files of the workspace; where there are none, every frame counts */
export function stackSummary(frames: readonly Frame[], own: (file: string) => boolean): string {
  const mine = frames.filter(({ file }) => own(file));
  const shown = (mine.length > 0 ? mine : frames).slice(0, MOST_FRAMES);
  return shown.map(frameText).join(' ← ');
}
