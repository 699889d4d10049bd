import type { DigestFrame } from '../model/digestFrame.js';
import type { FileLookup } from '../attribution/owner.js';
import { getOrAdd } from '../maps.js';
import type { ReportFrame } from './report.js';

/** Frames by lookup: a frame is in thousands of stacks, and needs one object only. */
const known = new WeakMap<FileLookup, WeakMap<DigestFrame, ReportFrame>>();

/** A frame with its file in workspace terms where there is one. */
export function reportFrame(frame: DigestFrame, lookup: FileLookup): ReportFrame {
  const frames = getOrAdd(known, lookup, () => new WeakMap());
  return getOrAdd(frames, frame, () => ({
    file: lookup(frame.file) ?? frame.file,
    line: frame.line,
    function: frame.function,
  }));
}
