import { CATEGORIES, type Category } from '../attribution/categories.js';
import type { Bytes } from '../model/units.js';
import { sayCount } from '../text/say.js';

/** What a line holds of one category at the peak. */
export interface PeakAmount {
  bytes: Bytes;
  blocks: number;
  /** Of the blocks, those that the backward pass let go of. */
  keptForBackward: number;
  /** Of the blocks, those born more than a step before. */
  fromEarlierSteps: number;
}

/** What a step brings and takes away again. */
const OF_ONE_STEP: ReadonlySet<Category> = new Set(['activations', 'inputs']);

/** One sentence for each kind of memory that a line holds, the largest first. @param amounts by category */
export function peakFacts(amounts: readonly PeakAmount[]): string[] {
  return amounts
    .map((amount, i) => ({ ...amount, category: CATEGORIES[i] }))
    .filter(({ bytes }) => bytes > 0)
    .sort((a, b) => b.bytes - a.bytes)
    .flatMap((amount) => factsOf(amount.category, amount));
}

function factsOf(category: Category, amount: PeakAmount): string[] {
  const left = OF_ONE_STEP.has(category) ? amount.fromEarlierSteps : 0;
  const kept = category === 'activations' ? amount.keptForBackward : 0;
  const rest = amount.blocks - left - kept;
  return [
    ...(left > 0 ? [leftText(category, left)] : []),
    ...(kept > 0
      ? [
          sayCount(
            kept,
            '1 block is an activation kept for the backward pass: `torch.utils.checkpoint` recomputes it instead.',
            '{0} blocks are activations kept for the backward pass: `torch.utils.checkpoint` recomputes them instead.',
          ),
        ]
      : []),
    ...(rest > 0 ? offers(category, rest) : []),
  ];
}

function leftText(category: Category, blocks: number): string {
  return category === 'inputs'
    ? sayCount(
        blocks,
        '1 block is an input left from an earlier step: something keeps it.',
        '{0} blocks are inputs left from earlier steps: something keeps them.',
      )
    : sayCount(
        blocks,
        '1 block is an activation left from an earlier step: something keeps it.',
        '{0} blocks are activations left from earlier steps: something keeps them.',
      );
}

/** What PyTorch offers for memory of a kind; of no known kind, nothing. */
function offers(category: Category, blocks: number): string[] {
  switch (category) {
    case 'parameters':
      return [
        sayCount(
          blocks,
          '1 block is a weight or a buffer: it stays as long as its module.',
          '{0} blocks are weights or buffers: they stay as long as their module.',
        ),
      ];
    case 'gradients':
      return [
        sayCount(
          blocks,
          '1 block is a gradient: `zero_grad(set_to_none=True)` lets go of those of parameters before the next forward pass.',
          '{0} blocks are gradients: `zero_grad(set_to_none=True)` lets go of those of parameters before the next forward pass.',
        ),
      ];
    case 'optimizerState':
      return [
        sayCount(
          blocks,
          '1 block is optimizer state: `torch.distributed.optim.ZeroRedundancyOptimizer` shards it over ranks, an 8-bit optimizer stores a quarter.',
          '{0} blocks are optimizer state: `torch.distributed.optim.ZeroRedundancyOptimizer` shards it over ranks, an 8-bit optimizer stores a quarter.',
        ),
      ];
    case 'activations':
      return [
        sayCount(
          blocks,
          '1 block is part of the forward pass: a smaller batch makes it smaller.',
          '{0} blocks are part of the forward pass: a smaller batch makes them smaller.',
        ),
      ];
    case 'inputs':
      return [
        sayCount(
          blocks,
          '1 block is an input of the step: without `del`, a batch lives until the next one has been made.',
          '{0} blocks are inputs of the step: without `del`, a batch lives until the next one has been made.',
        ),
      ];
    case 'workspace':
      return [
        sayCount(
          blocks,
          '1 block is scratch of a library or of the optimizer’s step: `foreach=False` or `fused=True` has the optimizer take less.',
          '{0} blocks are scratch of a library or of the optimizer’s step: `foreach=False` or `fused=True` has the optimizer take less.',
        ),
      ];
    case 'other':
      return [];
  }
}
