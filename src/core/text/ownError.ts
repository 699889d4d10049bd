import { t } from './translate.js';

/** The sentence for an error that nothing in the input explains; null for another. */
export function ownErrorText(error: unknown): string | null {
  return error instanceof TypeError || error instanceof ReferenceError
    ? t('An error in Leakline: {0}. Please report it.', error.message)
    : null;
}
