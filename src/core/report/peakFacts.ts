import { CATEGORIES, type Category } from '../analysis/categories.js';
import type { Bytes } from '../model/units.js';
import { plural } from './reportWords.js';

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

/** What PyTorch offers for memory of a kind; what is of no known kind gets no sentence. */
const OFFERS: Readonly<Record<Category, string | null>> = {
  parameters: 'weights or buffers: they stay as long as their module',
  gradients: 'gradients: `zero_grad(set_to_none=True)` lets go of those of parameters before the next forward pass',
  optimizerState:
    'optimizer state: `torch.distributed.optim.ZeroRedundancyOptimizer` shards it over ranks, an 8-bit optimizer stores a quarter',
  activations: 'part of the forward pass: a smaller batch makes them smaller',
  inputs: 'inputs of the step: without `del`, a batch lives until the next one has been made',
  workspace:
    'scratch of a library or of the optimizer’s step: `foreach=False` or `fused=True` has the optimizer take less',
  other: null,
};

/** One sentence for each kind of memory that a line holds, the largest first. @param amounts by category */
export function peakFacts(amounts: readonly PeakAmount[]): string[] {
  return amounts
    .map((amount, i) => ({ ...amount, category: CATEGORIES[i] }))
    .filter(({ bytes }) => bytes > 0)
    .sort((a, b) => b.bytes - a.bytes)
    .flatMap((amount) => factsOf(amount.category, amount));
}

function factsOf(category: Category, amount: PeakAmount): string[] {
  const facts: string[] = [];
  const ofOneStep = OF_ONE_STEP.has(category);
  const left = ofOneStep ? amount.fromEarlierSteps : 0;
  const kept = category === 'activations' ? amount.keptForBackward : 0;
  const rest = amount.blocks - left - kept;
  if (left > 0) facts.push(`${are(left)} ${category} left from earlier steps: something keeps them.`);
  if (kept > 0) {
    facts.push(
      `${are(kept)} activations kept for the backward pass: \`torch.utils.checkpoint\` recomputes them instead.`,
    );
  }
  const offer = OFFERS[category];
  if (rest > 0 && offer !== null) facts.push(`${are(rest)} ${offer}.`);
  return facts;
}

function are(blocks: number): string {
  return `${plural(blocks, 'block')} ${blocks === 1 ? 'is' : 'are'}`;
}
