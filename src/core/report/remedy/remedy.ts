import { isEmptied } from '../../verdict/features.js';
import type { Verdict } from '../../verdict/shape.js';
import type { SourceFinding } from '../lines/chances.js';
import type { ObservedLine } from '../lines/observedLine.js';
import type { HolderReport } from '../report.js';
import { recordedRemedy } from './recordedRemedy.js';

/** Verdicts that are certain enough for a remedy from the recorder alone. */
const REMEDIED: ReadonlySet<Verdict> = new Set(['leak', 'cycle']);

/**
 * The holder of a line with its remedy: that of the source, unless the recorder knows a more precise one.
 * @param proved the holder of a leak that was proved before an edit, null for none
 */
export function remediedHolder(
  { holder: recordedHolder, recorded, custody, seen }: ObservedLine,
  finding: SourceFinding | null,
  proved: HolderReport | null,
  verdict: Verdict,
): HolderReport | null {
  const seenNow = finding?.holder ?? recordedHolder;
  const holder = seenNow ?? proved;
  if (holder === null) return null;
  const { fix, edit } = (seenNow === null ? proved : finding?.remedy) ?? { fix: null, edit: null };
  const owner = recorded.holder ?? recorded.garbage;
  // An incomplete search may name a holder that is not the only one.
  if (holder.source === 'recorder' && owner !== null && recorded.isComplete && REMEDIED.has(verdict)) {
    const { text, isExact, call } = recordedRemedy(owner, custody, seen !== null && isEmptied(seen));
    if (fix === null || isExact) return { ...holder, fix: text, ...(call === undefined ? {} : { call }), edit: null };
  }
  return { ...holder, fix, edit };
}
