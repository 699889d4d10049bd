/** The remedies that source and recorder share, in one sentence each. */
import { t } from '../text/translate.js';

/** For a container of values. @param holder its name */
export function clearText(holder: string): string {
  return t('Clear {0} after use, cap its size, or store CPU copies (.detach().cpu()).', holder);
}

/** For values that hold a graph. */
export function detachText(): string {
  return t('Store only what is needed, without its graph: .detach(), or .item() for a number.');
}

/** For a hook that each step registers. */
export function registerOnceText(): string {
  return t('Register the hook once, or keep its handle and call handle.remove().');
}

/** For a hook that refers to what it is registered on. */
export function weakHookText(): string {
  return t('Use a weakref.ref in the hook, or remove it by its handle after the backward pass.');
}

/** For a cached function. */
export function limitCacheText(): string {
  return t('Cap the cache (maxsize), clear it, or use keys that repeat.');
}

/** For a stored exception. @param error its name */
export function dropTracebackText(error: string): string {
  return t('Keep the text, str({0}), or drop the traceback: {0}.with_traceback(None).', error);
}

/** For gradients with a graph. */
export function doubleBackwardText(): string {
  return t(
    'Use torch.autograd.grad(..., create_graph=True), or set the .grad of what was differentiated to None afterwards.',
  );
}

/** For an open autocast block. */
export function freshAutocastText(): string {
  return t('Enter autocast again in each step, or pass cache_enabled=False.');
}

/** For a reference cycle. @param holder one of its references */
export function cutCycleText(holder: string): string {
  return t('Make {0} a weakref.ref, or set it to None when done.', holder);
}
