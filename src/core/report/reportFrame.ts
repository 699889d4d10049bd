import type { DigestFrame } from '../model/digestFrame.js';
import type { FileLookup } from '../attribution/owner.js';
import type { ReportFrame } from './report.js';

/** Of each lookup: a frame is in thousands of stacks, and one object is enough for it. */
const known = new WeakMap<FileLookup, WeakMap<DigestFrame, ReportFrame>>();

/** A frame with its file in workspace terms where there is one. */
export function reportFrame(frame: DigestFrame, lookup: FileLookup): ReportFrame {
  let frames = known.get(lookup);
  if (frames === undefined) {
    frames = new WeakMap();
    known.set(lookup, frames);
  }
  let shown = frames.get(frame);
  if (shown === undefined) {
    shown = { file: lookup(frame.file) ?? frame.file, line: frame.line, function: frame.function };
    frames.set(frame, shown);
  }
  return shown;
}
