import assert from 'node:assert/strict';
import { edited, holderOf, keptAt, program } from './follow.js';

/** The frame of most programs. */
export const HEAD = `
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch import optim

net = nn.Linear(8, 8).cuda()
optimizer = optim.SGD(net.parameters(), lr=0.1)
`;

/** A program, and the statement in it that keeps what its marked line allocates. */
export interface Case {
  name: string;
  source: string;
  /** Empty for a look-alike that must stay silent. */
  keeps: string;
  /** The statement after the edit that releases; none where no edit is safe. */
  edit?: string;
  growth?: 'collected';
}

/** A training loop, in whose step stands `loss` before the optimizer steps, and `rest` after it. */
export const step = (loss: string, rest: string, before = ''): string => `${HEAD}
${before}
for x, y in loader:
    ${loss}
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    ${rest}
`;
/** A loss whose line with the output is the one that grows. */
export const WATCHED = 'out = net(x)  #!\n    loss = F.mse_loss(out, y)';

/** Follows each program to its marked line. */
export function describeCases(title: string, cases: readonly Case[]): void {
  describe(title, () => {
    for (const { name, source, keeps, edit, growth = 'held' } of cases) {
      it(`${keeps === '' ? 'is silent' : 'is found'}: ${name}`, () => {
        assert.equal(keptAt(program(source), growth), keeps);
        const mended = edited(program(source), growth);
        assert.equal(mended?.line.replace(/\s*#.$/, ''), edit);
        // A number of its own may still be kept, but no graph.
        if (mended !== null) assert.notEqual(holderOf(mended.program, growth)?.through, 'graph');
      });
    }
  });
}
