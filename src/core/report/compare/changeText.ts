import type { ChangeOutcome } from '../../allocator/deviceAnswer.js';
import { t } from '../../text/translate.js';
import { placeText } from '../../text/pathText.js';

/** A replayed change in a few words, as after *with*; a setting as PYTORCH_CUDA_ALLOC_CONF has it. */
export function changeText({ setting, program }: Pick<ChangeOutcome, 'setting' | 'program'>): string {
  if (setting !== null) return setting;
  const at = program?.at ?? null;
  switch (program?.kind) {
    case 'emptyCache':
      return t('empty_cache() between steps');
    case 'gradients':
      return t('zero_grad(set_to_none=True) before the forward pass');
    case 'weightCopies':
      return t('no copies of the weights by autocast');
    case 'foreach':
      return t('no copies by the optimizer (fused=True)');
    case 'checkpoint':
      return at === null ? t('a checkpoint') : t('a checkpoint of the call in {0}', placeText(at));
    case 'leaks':
      return t('the leaks corrected');
    case undefined:
      return t('these lines left out');
  }
}
