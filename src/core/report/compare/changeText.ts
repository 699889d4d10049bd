import type { ChangeOutcome } from '../../allocator/deviceAnswer.js';
import { t } from '../../text/translate.js';
import { placeText } from '../../text/pathText.js';

/** A replayed change in a few words, as after *with*; a setting as PYTORCH_CUDA_ALLOC_CONF has it. */
export function changeText({ setting, program }: Pick<ChangeOutcome, 'setting' | 'program'>): string {
  if (setting !== null) return setting;
  if (program === null) return t('these lines left out');
  const { kind, at } = program;
  return {
    emptyCache: t('empty_cache() between steps'),
    gradients: t('zero_grad(set_to_none=True) before the forward pass'),
    weightCopies: t('no copies of the weights by autocast'),
    foreach: t('no copies by the optimizer (fused=True)'),
    checkpoint: at === null ? t('a checkpoint') : t('a checkpoint of the call in {0}', placeText(at)),
    leaks: t('the leaks corrected'),
  }[kind];
}
