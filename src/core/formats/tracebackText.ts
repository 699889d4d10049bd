/** A frame as text. */
export interface TextFrame {
  name: string;
  file: string;
  line: number;
}

const FRAME_LINE = /File "([^"\n]+)", line (\d{1,9}), in ([^\n]+)/g;

/**
 * Reads a traceback, outermost first: `  File "a.py", line 3, in forward\n    y = f(x)\n`. @returns frames innermost
 * first
 */
export function parseTraceback(text: string): TextFrame[] {
  const frames: TextFrame[] = [];
  for (const match of text.matchAll(FRAME_LINE)) {
    frames.push({ file: match[1], line: Number(match[2]), name: match[3].trim() });
  }
  return frames.reverse();
}
