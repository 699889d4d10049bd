/** The calls of a flame graph in words. */
import type { Flame, FlameCall } from '../../src/protocol/flameData.js';
import { byteText, countText } from '../../src/core/text/numberText.js';
import { formatShare, formatExactBytes } from '../text/format.js';
import { basename, fileAndLine } from '../../src/core/text/pathText.js';
import { t, tCount } from '../../src/core/text/translate.js';
import { strings } from '../text/strings.js';
import type { FlameItem } from './flameItems.js';
import type { TableCell, TableData } from '../parts/tableData.js';

/** With the full path of the file. */
export function callName(call: FlameCall): string {
  switch (call.kind) {
    case 'user':
    case 'library':
    case 'native':
      if (call.function === '' && call.file === '') return t('too narrow for its name');
      return `${call.function}, ${fileAndLine(call)}`;
    case 'beforeRecording':
    case 'noStack':
      return strings[call.kind];
    case 'anyLibrary':
      return strings.library;
    case 'backward':
      return t('Backward pass of');
  }
}

/** The text that fits into a box. */
export function shortName(item: FlameItem): string {
  const { call } = item;
  if (call === null || call.file === '') return itemName(item);
  return `${call.function} ${fileAndLine({ ...call, file: basename(call.file) })}`;
}

export function itemName({ call, merged }: FlameItem): string {
  if (merged > 0) return t('{0} more', countText(merged));
  return call === null ? t('All live memory') : callName(call);
}

/** Mean bytes over a stretch as bytes times time: `34.5 GiB·s`. */
export function byteTime(mean: number, { axis, from, to }: NonNullable<Flame['over']>): string {
  const seconds = axis === 'time' ? (to - from) / 1e6 : null;
  return seconds === null ? t('{0}·events', byteText(mean * (to - from))) : `${byteText(mean * seconds)}·s`;
}

/** The kind of an item, as a class of its box. */
export function itemClasses({ call, merged }: FlameItem): string {
  return `of-${merged > 0 ? 'merged' : (call?.kind ?? 'everything')}`;
}

/** Everything about an item, in one sentence. */
export function itemText(item: FlameItem, { liveBytes, over }: Pick<Flame, 'liveBytes' | 'over'>): string {
  const { bytes, self, blocks, merged } = item;
  const share = formatShare(bytes, liveBytes);
  const numbers = [
    ...(over === null
      ? [`${byteText(bytes)} (${formatExactBytes(bytes)})`]
      : [t('{0} on average', byteText(bytes)), byteTime(bytes, over)]),
    ...(share === '' ? [] : [t('{0} of the live memory', share)]),
    ...(blocks === null ? [] : [tCount(blocks, '1 block', '{0} blocks')]),
  ].join(', ');
  const own =
    self !== null && self > 0 && merged === 0 ? `; ${t('allocated by the call itself: {0}', byteText(self))}` : '';
  return `${itemName(item)}: ${numbers}${own}`;
}

/** A row for each box, callers before callees. */
export function flameTable(items: readonly FlameItem[]): TableData {
  return {
    columns: ['depth', 'call', 'file', 'line', 'bytes', 'self_bytes', 'blocks', 'merged_calls'],
    rows: items.map((item) => [...callCells(item), item.bytes, item.self, item.blocks, item.merged]),
  };
}

/** Where a box is, and its call. */
export function callCells(item: FlameItem): TableCell[] {
  const { call, level } = item;
  const isFrame = call !== null && call.file !== '';
  return [level - 1, isFrame ? call.function : itemName(item), isFrame ? call.file : '', isFrame ? call.line : null];
}
