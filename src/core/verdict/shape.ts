/** What a run, a line or a stack is judged to be; see docs/verdicts.md. */
export type Verdict = 'leak' | 'cycle' | 'periodic' | 'growing' | 'plateau' | 'oneOff' | 'steady' | 'tooShort';

/** What live bytes do over a run: `lasting` growth is a leak or not, as chances decide. */
export type Shape = 'lasting' | Exclude<Verdict, 'leak'>;

/** From what needs a look to what needs none. */
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

/** The one of several that most needs a look, null of none. */
export function worstVerdict(verdicts: readonly Verdict[]): Verdict | null {
  return SEVERITY.find((verdict) => verdicts.includes(verdict)) ?? null;
}

/** As {@link worstVerdict}. */
export function worstShape(shapes: readonly Shape[]): Shape | null {
  const worst = worstVerdict(shapes.map((shape) => (shape === 'lasting' ? 'leak' : shape)));
  return worst === 'leak' ? 'lasting' : worst;
}
