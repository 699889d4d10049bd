import { CATEGORIES, CategoryCode } from '../../attribution/categories/category.js';
import type { DigestFrame } from '../../model/digestFrame.js';
import { frameKind } from '../../attribution/frameKind.js';
import type { FileLookup } from '../../attribution/owner.js';
import type { Bytes } from '../../model/units.js';
import type { ReportWorkspace } from '../reportWorkspace.js';

/** Usual code that moves a batch to the device, or creates it there. */
const BRINGS_BATCH = /\.(?:to|cuda|pin_memory)\s*\(|\bnon_blocking\b|\bdevice\s*=|\btorch\s*\.\s*rand(?:n|int)?\s*\(/;

/** An index into {@link CATEGORIES}. */
type SettledCode = Exclude<CategoryCode, CategoryCode.PerhapsInputs>;

/** Decides cases that frames and times leave open: whether a line loads a batch. */
export class BatchLines {
  constructor(
    private readonly workspace: ReportWorkspace,
    private readonly lookup: FileLookup,
  ) {}

  /** @param frames innermost first */
  settle(code: CategoryCode, frames: readonly DigestFrame[]): SettledCode {
    if (code !== CategoryCode.PerhapsInputs) return code;
    return this.bringsBatch(frames) ? CategoryCode.Inputs : CategoryCode.Other;
  }

  /** Bytes by category, of bytes by code; the sum stays. */
  settleAll(codes: Float64Array, frames: readonly DigestFrame[]): Float64Array {
    const settled = new Float64Array(CATEGORIES.length);
    codes.forEach((bytes: Bytes, code) => {
      if (bytes !== 0) settled[this.settle(code, frames)] += bytes;
    });
    return settled;
  }

  private bringsBatch(frames: readonly DigestFrame[]): boolean {
    const innermost = frames.find((frame) => frameKind(frame.file) !== 'native');
    const file = innermost === undefined ? null : this.lookup(innermost.file);
    if (innermost === undefined || file === null) return false;
    return BRINGS_BATCH.test(this.workspace.lineText?.(file, innermost.line) ?? '');
  }
}
