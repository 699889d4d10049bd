import type { Span } from '../../python/ast.js';
import type { PythonModule } from '../../python/pythonModule.js';
import type { KeeperKind } from '../keeper.js';
import type { Sureness } from '../values/flowNode.js';
import { placeKey } from '../values/things.js';

/** A statement that keeps what the watched line allocates. */
export interface Finding {
  readonly kind: KeeperKind;
  readonly module: PythonModule;
  /** The statement, or the part of it that keeps. */
  readonly span: Span;
  readonly holder: string;
  readonly kept: string;
  readonly keptSpan: Span | null;
  /** It keeps the memory itself, or a graph that needs it. */
  readonly through: 'data' | 'graph';
  readonly sureness: Sureness;
  /** What is kept can be nothing but a tensor, and no backward ever runs through it. */
  readonly mayDetach: boolean;
  /** Others than the functions that were followed may use what keeps it. */
  readonly isShared: boolean;
}

/** One of those that may be it. */
export interface Candidate extends Finding {
  readonly score: number;
}

/** The candidate that stands out, null where two others fit as well. */
export function best(candidates: readonly Candidate[]): Finding | null {
  const places = new Map<string, Candidate>();
  for (const candidate of candidates) {
    if (candidate.sureness < 2) continue;
    const key = placeKey(candidate);
    const known = places.get(key);
    if (known === undefined || candidate.score > known.score) places.set(key, candidate);
  }
  const sorted = [...places.values()].sort((a, b) => b.score - a.score || a.span.from - b.span.from);
  const [first, second] = sorted as (Candidate | undefined)[];
  if (first === undefined) return null;
  // Two that are sure are both guilty. Of two that are only likely, none is named.
  if (second?.score === first.score && first.sureness < 3) return null;
  return first;
}
