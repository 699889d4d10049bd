import type { Category } from '../../attribution/categories/category.js';
import type { Phase } from '../../attribution/categories/passPhase.js';
import type { Bytes } from '../../model/units.js';
import { byteText } from '../../text/numberText.js';
import { t } from '../../text/translate.js';
import type { OlderReport } from '../report.js';
import { visibleText } from '../../text/plainText.js';
import { placeText } from '../../text/pathText.js';

/** Memory of a category at the peak. */
export interface PeakAmount {
  readonly category: Category;
  bytes: Bytes;
  blocks: number;
  /** Blocks that the backward pass freed. */
  keptForBackward: number;
  /** Blocks that were allocated more than a step before. */
  fromEarlierSteps: number;
  /** Bytes that an optimizer needs to work on all tensors at once. */
  foreachBytes: Bytes;
}

/** What advice on a peak follows from. */
interface Held {
  readonly peakBytes: Bytes;
  /** Bytes that objects keep beyond their pass. */
  readonly keptBytes: Bytes;
  /** The memory of lines without a finding, and of the buckets, by category. */
  readonly amounts: readonly PeakAmount[];
  readonly older: OlderReport;
  readonly phase: Phase | null;
  /** The trace has no backward pass, and did not end before the first one could come. */
  readonly forwardOnly: boolean;
  readonly ranOut: boolean;
  /** The source evaluates without turning autograd off. */
  readonly isEvaluation: boolean;
  /** The source turns autograd off somewhere. */
  readonly turnsOffGradients: boolean;
  /** Bytes of equal activations of one line. */
  readonly repeatedActivations: Bytes;
  /** Outputs of an evaluation that transformers' Trainer has joined. */
  readonly outputBytes: Bytes;
  /** The line that holds most activations. */
  readonly activationsAt: { readonly file: string; readonly line: number; readonly function: string } | null;
}

/** Maximum number of sentences of advice in a report, and the share of the peak that each must concern. */
const MAX_ADVICE = 3;
const MIN_SHARE = 0.1;

/** Advice that lowers a peak, the most effective first. */
export function peakAdvice(held: Held): string[] {
  const min = MIN_SHARE * held.peakBytes;
  return [
    passBefore(held),
    gradientsBefore(held),
    joinedOutputs(held),
    ...held.amounts.map((amount) => adviceOf(amount, held)),
  ]
    .filter((advice) => advice !== null && advice.bytes > 0 && advice.bytes >= min)
    .sort((a, b) => (b?.bytes ?? 0) - (a?.bytes ?? 0))
    .slice(0, MAX_ADVICE)
    .map((advice) => advice?.text ?? '');
}

/** A place as code: nothing that a recorded name holds is markup. */
function place(at: { readonly file: string; readonly line: number; readonly function: string }): string {
  return `\`${visibleText(placeText(at)).replaceAll('`', '’')}\``;
}

interface Advice {
  readonly bytes: Bytes;
  readonly text: string;
}

function passBefore({ older: { activationBytes: bytes, freed } }: Held): Advice {
  const by = freed.at(0)?.by ?? null;
  return {
    bytes,
    text:
      by === null
        ? t(
            'Activations of the previous pass ({0}) are still live: delete its results before the next one.',
            byteText(bytes),
          )
        : t(
            'Activations of the previous pass ({0}) stay live until {1} replaces its result: delete that result before the next pass.',
            byteText(bytes),
            place(by),
          ),
  };
}

function joinedOutputs({ outputBytes: bytes }: Held): Advice {
  return {
    bytes,
    text: t(
      'The Trainer joins the outputs of the evaluation on the device, {0}: reduce them in `preprocess_logits_for_metrics`, or pass `eval_accumulation_steps`.',
      byteText(bytes),
    ),
  };
}

/** Gradients of the last step need not be live in a forward pass. */
function gradientsBefore({ older: { gradientBytes: bytes }, phase }: Held): Advice | null {
  return phase !== 'forward'
    ? null
    : {
        bytes,
        text: t(
          'Gradients of the previous step ({0}) are live in the forward pass: call `zero_grad(set_to_none=True)` before it.',
          byteText(bytes),
        ),
      };
}

/** Categories alone support only this: gradients and parameters need more evidence. */
function adviceOf({ category, bytes, keptForBackward, foreachBytes }: PeakAmount, held: Held): Advice | null {
  switch (category) {
    case 'activations':
      return activations(bytes - held.older.activationBytes - held.keptBytes, keptForBackward > 0, held);
    case 'weightCopies':
      return {
        bytes,
        text: !held.forwardOnly
          ? t(
              'Autocast’s copies of the weights hold {0} until the backward pass: weights in bfloat16 need none.',
              byteText(bytes),
            )
          : keepsGraph(held)
            ? t('Autocast’s copies of the weights hold {0}: load the weights in bfloat16.', byteText(bytes))
            : t(
                'Autocast’s copies of the weights hold {0}: load the weights in bfloat16, or pass `cache_enabled=False` to `torch.autocast`, which then frees each copy after use.',
                byteText(bytes),
              ),
      };
    case 'parameters':
      return held.ranOut && 2 * bytes >= held.peakBytes
        ? {
            bytes,
            text: t(
              'Parameters hold {0}: half of it in bfloat16, less per device if they are sharded or offloaded.',
              byteText(bytes),
            ),
          }
        : null;
    case 'optimizerState':
      return {
        bytes,
        text: t('Optimizer state holds {0}: an 8-bit optimizer, or sharding over ranks, needs less.', byteText(bytes)),
      };
    case 'workspace':
      return {
        bytes: foreachBytes,
        text: t(
          'The optimizer works on copies of {0}: `fused=True` or `foreach=False` needs less.',
          byteText(foreachBytes),
        ),
      };
    default:
      return null;
  }
}

/** True if most activations are equal blocks: without a graph each layer frees the results of the one before. */
function keepsGraph({ amounts, older, repeatedActivations }: Held): boolean {
  const all = amounts.find(({ category }) => category === 'activations')?.bytes ?? 0;
  return repeatedActivations > 0 && repeatedActivations >= (all - older.activationBytes) / 2;
}

function activations(bytes: Bytes, waits: boolean, held: Held): Advice | null {
  const hasEqual = keepsGraph(held);
  if (held.phase === 'evaluation' && held.ranOut) {
    return hasEqual || held.isEvaluation
      ? {
          bytes,
          text: t(
            'Activations hold {0} in an evaluation, which needs none: run it under `torch.no_grad()`.',
            byteText(bytes),
          ),
        }
      : null;
  }
  if (held.forwardOnly) {
    // A cache of keys and values has equal blocks as well.
    if (!hasEqual || (held.ranOut && held.turnsOffGradients)) return null;
    return {
      bytes,
      text: held.isEvaluation
        ? t(
            'Activations hold {0}, because `model.eval()` does not turn autograd off: run the pass under `torch.inference_mode()`.',
            byteText(bytes),
          )
        : t(
            'Activations hold {0}, and no backward pass follows: if none is needed, `torch.inference_mode()` frees them early.',
            byteText(bytes),
          ),
    };
  }
  const at = held.activationsAt;
  if (!waits && !held.ranOut) return null;
  if (!waits && !hasEqual) {
    // An object that holds more is the better answer.
    if (bytes <= held.keptBytes) return null;
    const most = at === null ? '' : t('Most are from {0}.', place(at));
    return {
      bytes,
      text: `${t('Activations hold {0}: fewer samples at once need less.', byteText(bytes))} ${most}`.trim(),
    };
  }
  return {
    bytes,
    text:
      at === null
        ? t(
            'Activations hold {0} for the backward pass: `torch.utils.checkpoint` recomputes them there, and fewer samples at once need less.',
            byteText(bytes),
          )
        : t(
            'Activations hold {0} for the backward pass, most from {1}: `torch.utils.checkpoint` recomputes them there, and fewer samples at once need less.',
            byteText(bytes),
            place(at),
          ),
  };
}
