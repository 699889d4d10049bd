/** The sentences on the bound of a holder. */
import type { BoundLimit, FullSize, KnownBound } from '../facts/evidence.js';
import { byteText, countText } from '../text/numberText.js';
import { t } from '../text/translate.js';
import type { Room } from './features.js';
import { nameAndLine } from '../text/pathText.js';

/** Holder, kind of bound, and its size when full. @param room null if no capacity is known */
export function boundTexts(bound: KnownBound | null, room: Room | null): string[] {
  if (bound === null) return [];
  const held = t('Held by {0} ({1}).', bound.name, nameAndLine(bound.place));
  if (bound.limit.kind === 'loop') return [held, t('A loop around it clears or replaces it, but has not done so yet.')];
  return [
    held,
    limitText(bound.limit),
    room !== null && fitsIn(bound, room) === false ? tooMuchText(bound.full, room) : fullText(bound),
  ];
}

/** True if the remaining growth fits on the device; null if unknown. */
export function fitsIn({ isFull, full }: KnownBound, room: Room | null): boolean | null {
  if (isFull) return true;
  return full === null || room === null ? null : full.moreBytes <= room.roomBytes;
}

function limitText(limit: Exclude<BoundLimit, { kind: 'loop' }>): string {
  switch (limit.kind) {
    case 'container':
      return t('It is a {0} of at most {1}.', limit.type, countText(limit.items));
    case 'graph':
      return t('A backward pass frees its graph every {0} steps.', itemsText(limit));
    case 'items':
      return t('It holds at most {0}.', itemsText(limit));
  }
}

/** A number with its name in the source. */
function itemsText({ text, items }: { readonly text: string; readonly items: number | null }): string {
  if (items === null) return text;
  return String(items) === text.replaceAll('_', '') ? countText(items) : `${countText(items)} (${text})`;
}

function fullText({ isFull, full }: KnownBound): string {
  if (isFull) return t('It is full now.');
  if (full === null) return t('It is not full yet.');
  return full.isExact
    ? t('It is still growing: full, it holds about {0}.', byteText(full.bytes))
    : t('It is still growing: full, it holds {0} or more.', byteText(full.bytes));
}

function tooMuchText(full: FullSize | null, { capacityBytes, roomBytes }: Room): string {
  return t(
    'Full, it would hold {0}. It does not fit: of {1} on the device, {2} are left.',
    byteText(full?.bytes ?? 0),
    byteText(capacityBytes),
    byteText(roomBytes),
  );
}
