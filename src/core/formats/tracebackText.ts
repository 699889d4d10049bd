import type { DigestFrame } from '../model/digestFrame.js';

const FRAME_LINE = /File "([^"\n]+)", line (\d{1,9}), in ([^\n]+)/g;

/**
 * Reads a traceback, outermost first: `  File "a.py", line 3, in forward\n    y = f(x)\n`. @returns frames innermost
 * first
 */
export function parseTraceback(text: string): DigestFrame[] {
  const frames: DigestFrame[] = [];
  for (const match of text.matchAll(FRAME_LINE)) {
    frames.push({ file: match[1], line: Number(match[2]), function: match[3].trim() });
  }
  return frames.reverse();
}
