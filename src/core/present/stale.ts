/** Findings of a source that is no longer, or may not be, the one that ran. */
import { t } from '../text/translate.js';
import { listed, type Presented } from './presented.js';

interface Staleness {
  /** Edited since, or perhaps a different version. */
  readonly edited: boolean;
  readonly otherVersion: boolean;
  /** The statement that holds the memory was edited, not this line. */
  readonly holderEdited?: boolean;
}

/** In a few words; null if the line is the one that ran. */
export function staleText({ edited, otherVersion }: Staleness): string | null {
  if (!edited) return null;
  return otherVersion ? t('different version') : t('before your edit');
}

/** Above the line. */
export function withStale(lens: string, stale: Staleness): string {
  return listed(lens, staleText(stale));
}

/** After the line: what the lens does not say. Without a lens, an edit is worth more than the holder. */
export function endOfLine({ lens, end, endAlone }: Presented, hasLens: boolean, stale: Staleness): string {
  if (hasLens) return end;
  return stale.edited ? withStale(lens, stale) : endAlone;
}

export function staleSentence({ edited, otherVersion, holderEdited }: Staleness): string | null {
  if (!edited) return null;
  if (holderEdited === true) return t('The statement that holds this memory was edited after the run. Record again.');
  return otherVersion
    ? t('This file is a different version from the one that ran.')
    : t('This line was edited after the run.');
}
