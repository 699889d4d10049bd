import type { TextFrame } from './tracebackText.js';

const PYTHON_FUNCTION = /^(.+?)\((\d{1,9})\): (.+)$/s;

/** Reads a function as the profiler names it, `train.py(12): forward`; null for `<built-in method empty …>`. */
export function parseProfilerFrame(text: string): TextFrame | null {
  const match = PYTHON_FUNCTION.exec(text);
  return match === null ? null : { file: match[1], line: Number(match[2]), name: match[3] };
}
