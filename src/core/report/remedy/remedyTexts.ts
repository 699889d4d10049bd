/** The remedies that source and recorder share, in one sentence each, by what holds the memory. */
import { t } from '../../text/translate.js';

/** @param name of the holder, of one of a cycle's references, or of the error */
export function remedyText(kind: keyof ReturnType<typeof remedies>, name = ''): string {
  return remedies(name)[kind];
}

function remedies(name: string) {
  return {
    container: t('Clear {0} after use, cap its size, or store CPU copies (.detach().cpu()).', name),
    default: t(
      'Use None as the default of {0}, and make its value in the function: Python makes a default once.',
      name,
    ),
    graph: t('Store only what is needed, without its graph: .detach(), or .item() for a number.'),
    hook: t('Register the hook once, or keep its handle and call handle.remove().'),
    selfHook: t('Use a weakref.ref in the hook, or remove it by its handle after the backward pass.'),
    cache: t('Cap the cache (maxsize), clear it, or use keys that repeat.'),
    methodCache: t('Use functools.cached_property, or cap the cache (maxsize): on a method, it keeps each object.'),
    error: t('Keep the text, str({0}), or drop the traceback: {0}.with_traceback(None).', name),
    doubleBackward: t(
      'Use torch.autograd.grad(..., create_graph=True), or set the .grad of what was differentiated to None afterwards.',
    ),
    savedTensor: t('Let the hook that packs tensors return tensor.detach(): a tensor with its graph is never freed.'),
    autocast: t('Enter autocast again in each step, or pass cache_enabled=False.'),
    cycle: t('Make {0} a weakref.ref, or set it to None when done.', name),
    libraryCycle: t('Delete the objects after use, then call gc.collect(): the references are in a library.'),
  };
}
