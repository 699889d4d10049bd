/** Items that something holds at most. */
export interface Room {
  /** As the source says it. */
  readonly text: string;
  /** Null where the source does not tell the number. */
  readonly count: number | null;
}

/** What is known of a value besides what it keeps. */
export type Known =
  /** A number, or `None` as null. */
  | { readonly kind: 'constant'; readonly value: number | null }
  /** A whole number from zero up to, but not, this. */
  | { readonly kind: 'below'; readonly room: Room }
  /** One of what a loop draws from something, the same ones each time that the loop begins. */
  | { readonly kind: 'drawn'; readonly from: object; readonly loop: string };

/** What is known of either of two values. */
export function knownOfEither(a: Known | null, b: Known | null): Known | null {
  if (a === b || a === null || b === null) return a === b ? a : null;
  if (a.kind === 'constant' && b.kind === 'constant') return a.value === b.value ? a : null;
  // A place in a ring, and where it starts.
  if (a.kind === 'below' && b.kind === 'constant') return a;
  return a.kind === 'constant' && b.kind === 'below' ? b : null;
}

/** How many items a number allows, as the source says it and, where it is known, in figures. */
export function roomOf({ known }: { readonly known: Known | null }, text: string): Room {
  return { text, count: known?.kind === 'constant' ? known.value : null };
}

/** The room for one more than a number: what is put in while there is still no more than that. */
export function oneMore({ text, count }: Room): Room {
  return count === null ? { text: `${text} + 1`, count } : { text: String(count + 1), count: count + 1 };
}
