/** What a stack's live bytes do over a run; see docs/verdicts.md. */
export type StackVerdict = 'leak' | 'cycle' | 'periodic' | 'growing' | 'plateau' | 'oneOff' | 'steady' | 'tooShort';

export interface Opinion {
  verdict: StackVerdict;
  /** 0 to 1: how much of what was seen fits the verdict, less for a short look. */
  confidence: number;
}
