import type { Category } from '../attribution/categories.js';
import { frameKind } from '../attribution/frameKind.js';
import type { FileLookup } from '../attribution/owner.js';
import { isModuleCall } from '../attribution/stackRole.js';
import type { DigestFrame } from '../model/digestFrame.js';
import type { Bytes } from '../model/units.js';
import { byteText } from '../text/byteText.js';
import { t, tCount } from '../text/translate.js';
import type { ReportWorkspace } from './reportWorkspace.js';

/** Memory of a line and category at the peak. */
export interface PeakAmount {
  readonly category: Category;
  bytes: Bytes;
  blocks: number;
  /** Of the blocks, those that the backward pass freed. */
  keptForBackward: number;
  /** Of the blocks, those allocated more than a step before. */
  fromEarlierSteps: number;
  /** Of the bytes, those of several equal blocks of one stack. */
  repeatedBytes: Bytes;
  /** Of the bytes, those that an optimizer takes to work on all tensors at once. */
  foreachBytes: Bytes;
}

/** Memory that a step allocates and frees. */
const OF_ONE_STEP: ReadonlySet<Category> = new Set(['activations', 'inputs']);

/**
 * One sentence per kind of memory that a line holds, largest first.
 * @param amounts of its categories
 * @param forwardOnly the trace has no backward pass that needs activations
 */
export function peakFacts(amounts: readonly PeakAmount[], forwardOnly: boolean): string[] {
  return amounts
    .toSorted((a, b) => b.bytes - a.bytes)
    .flatMap((amount) => factsOf(amount.category, forwardOnly ? { ...amount, keptForBackward: 0 } : amount));
}

function factsOf(category: Category, amount: PeakAmount): string[] {
  const left = OF_ONE_STEP.has(category) ? amount.fromEarlierSteps : 0;
  const activations = category === 'activations' ? amount.keptForBackward : 0;
  return [
    ...(left > 0 ? [leftText(category, left)] : []),
    ...(activations > 0
      ? [
          tCount(
            activations,
            '1 block is an activation kept for the backward pass.',
            '{0} blocks are activations kept for the backward pass.',
          ),
        ]
      : []),
  ];
}

function leftText(category: Category, blocks: number): string {
  return category === 'inputs'
    ? tCount(blocks, '1 block is an input left from an earlier step.', '{0} blocks are inputs left from earlier steps.')
    : tCount(
        blocks,
        '1 block is an activation left from an earlier step.',
        '{0} blocks are activations left from earlier steps.',
      );
}

/** Sentences of advice in a whole report, and the share of the peak that each must concern. */
const MAX_ADVICE = 3;
const LEAST_SHARE = 0.1;

/**
 * Advice that lowers a peak, the most effective first.
 * @param amounts of all lines and buckets, by category
 * @param forwardOnly the trace ends without a backward pass, and not by out of memory
 */
export function peakAdvice(amounts: readonly PeakAmount[], forwardOnly: boolean): string[] {
  const all = amounts.reduce((sum, { bytes }) => sum + bytes, 0);
  return amounts
    .filter(({ bytes }) => bytes > 0 && bytes >= LEAST_SHARE * all)
    .sort((a, b) => b.bytes - a.bytes)
    .flatMap((amount) => adviceOf(amount.category, amount, forwardOnly, LEAST_SHARE * all))
    .slice(0, MAX_ADVICE);
}

/** Categories alone support only this: gradients and parameters need more evidence. */
function adviceOf(
  category: Category,
  { bytes, keptForBackward, repeatedBytes, foreachBytes }: PeakAmount,
  forwardOnly: boolean,
  least: Bytes,
): string[] {
  switch (category) {
    case 'activations':
      // Without a graph each layer's results are freed by the next.
      if (forwardOnly && repeatedBytes >= bytes / 2) {
        return [
          t(
            'Activations hold {0}, and no backward pass follows: if none is needed, `torch.inference_mode()` frees them early.',
            byteText(bytes),
          ),
        ];
      }
      return [
        keptForBackward > 0
          ? t(
              'Activations hold {0}: a smaller batch lowers this, and `torch.utils.checkpoint` recomputes those kept for the backward pass.',
              byteText(bytes),
            )
          : t('Activations hold {0}: a smaller batch lowers this.', byteText(bytes)),
      ];
    case 'optimizerState':
      return [t('Optimizer state holds {0}: an 8-bit optimizer or sharding over ranks needs less.', byteText(bytes))];
    case 'workspace':
      return foreachBytes < least
        ? []
        : [
            t(
              'The optimizer works on copies of {0}: `fused=True` or `foreach=False` needs less.',
              byteText(foreachBytes),
            ),
          ];
    default:
      return [];
  }
}

/** A name that is called, with the indices behind it. */
const CALLED = /(?<![\w.])(self\.|)([A-Za-z_][\w.]*(?:\[\d+\])*)(?:\[[^\]]*\])?\s*\(/g;

/**
 * The path of the module that allocates, as the source names it: `blocks.attn`.
 * @param frames innermost first
 * @returns null if a call is not in the workspace, or ambiguous
 */
export function modulePath(
  frames: readonly DigestFrame[],
  lookup: FileLookup,
  { lineText }: ReportWorkspace,
): string | null {
  const names: string[] = [];
  const python = frames.filter(({ file }) => frameKind(file) !== 'native').reverse();
  for (let i = 0; i + 1 < python.length; i++) {
    if (isModuleCall(python[i]) || !isModuleCall(python[i + 1])) continue;
    // Inside a library's module the rest of the path is the library's.
    if (frameKind(python[i].file) === 'library') break;
    const file = lookup(python[i].file);
    const text = file === null ? null : (lineText?.(file, python[i].line) ?? null);
    const name = text === null ? null : calledName(text);
    if (name === null) return null;
    names.push(name);
  }
  // The outermost name is the variable of the whole model.
  return names.length < 2 ? null : names.slice(1).join('.');
}

function calledName(text: string): string | null {
  const calls = [...text.matchAll(CALLED)];
  const own = calls.filter(([, isOwn]) => isOwn !== '');
  const names = new Set((own.length > 0 ? own : calls).map(([, , name]) => name));
  return names.size === 1 ? [...names][0] : null;
}
