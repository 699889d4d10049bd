/** Programs in which something fills up, each beside a twin in which the same growth never ends. */
import assert from 'node:assert/strict';
import { followed, keptAt, program } from './follow.js';

interface Bounded {
  name: string;
  source: string;
  /** Items at most, as the limit says it; `loop` where a loop around the steps releases them; empty for no growth. */
  max: string;
  /** Where the value is known. */
  count?: number;
  /** The holder until a loop releases it, if it is not the statement of the twin. */
  during?: string;
}

export interface BoundedPair {
  bounded: Bounded;
  endless: { source: string; keeps: string };
}

/** A training loop around `rest`, whose step allocates `out`. */
export const loop = (rest: string, before = ''): string => `
import collections, heapq, queue, random, weakref
import torch
net = torch.nn.Linear(3, 3)
${before}
for i, x in enumerate(data):
    out = net(x).detach()  #!
    ${rest}
`;

/** Follows each pair: the bound is found, and where nothing bounds there is none. */
export function boundsAreTold(title: string, pairs: readonly BoundedPair[]): void {
  describe(title, () => {
    for (const { bounded, endless } of pairs) {
      // What the end of each epoch releases is held until then.
      const until = bounded.during ?? endless.keeps.replace('self.losses', 'losses');
      const keeps = bounded.max === 'loop' ? until : '';
      it(`names ${keeps === '' ? 'no holder' : 'the holder until then'}: ${bounded.name}`, () => {
        assert.equal(keptAt(program(bounded.source)), keeps);
      });
      it(`has its bound: ${bounded.name}`, () => {
        const limit = followed(program(bounded.source))?.limit ?? null;
        const max = limit === null ? '' : (limit.max?.text ?? 'loop');
        assert.deepEqual([max, limit?.max?.count ?? undefined], [bounded.max, bounded.count]);
      });
      it(`differs from endless growth: ${bounded.name}`, () => {
        assert.equal(keptAt(program(endless.source)), endless.keeps);
        assert.equal(followed(program(endless.source))?.limit ?? null, null);
      });
    }
  });
}
