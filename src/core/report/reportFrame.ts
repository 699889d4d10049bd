import type { DigestFrame } from '../model/digestFrame.js';
import type { FileLookup } from '../attribution/owner.js';
import type { ReportFrame } from './report.js';

/** A frame with its file in workspace terms where there is one. */
export function reportFrame(frame: DigestFrame, lookup: FileLookup): ReportFrame {
  return { file: lookup(frame.file) ?? frame.file, line: frame.line, function: frame.function };
}
