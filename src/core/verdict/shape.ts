import { limit } from './thresholds.js';

/** The verdict on a run, a line or a stack; see docs/verdicts.md. */
export type Verdict = 'leak' | 'cycle' | 'periodic' | 'growing' | 'plateau' | 'oneOff' | 'steady' | 'tooShort';

/** The shape of live bytes over a run. For `lasting` growth, chances decide. */
export type Shape = 'lasting' | Exclude<Verdict, 'leak'>;

/** Verdicts, the most severe first. */
export const SEVERITY: readonly Verdict[] = [
  'leak',
  'cycle',
  'growing',
  'tooShort',
  'periodic',
  'oneOff',
  'plateau',
  'steady',
];

/** The most severe of several; null for none. */
function worstVerdict(verdicts: readonly Verdict[]): Verdict | null {
  return SEVERITY.find((verdict) => verdicts.includes(verdict)) ?? null;
}

/** The shape with the most severe verdict, see {@link worstVerdict}. */
export function worstShape(shapes: readonly Shape[]): Shape | null {
  const worst = worstVerdict(shapes.map((shape) => (shape === 'lasting' ? 'leak' : shape)));
  return worst === 'leak' ? 'lasting' : worst;
}

/** Verdicts of a run whose memory may run out. */
export const GROWS: ReadonlySet<Verdict> = new Set(['leak', 'growing']);

/** The combined verdict of lines. */
export function runVerdict(verdicts: readonly Verdict[], snapshots: number): Verdict {
  return worstVerdict(verdicts) ?? (snapshots < limit('minSnapshots') ? 'tooShort' : 'steady');
}
