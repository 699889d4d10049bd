/** The calls of a flame graph in words. */
import type { Flame, FlameCall } from '../../src/protocol/flameData.js';
import { byteText } from '../../src/core/text/numberText.js';
import { formatShare } from '../text/format.js';
import { basename, fileAndLine } from '../../src/core/text/pathText.js';
import { strings } from '../text/strings.js';
import type { FlameItem } from './flameItems.js';
import type { TableCell, TableData } from '../parts/tableData.js';

/** With the full path of the file. */
export function callName(call: FlameCall): string {
  switch (call.kind) {
    case 'user':
    case 'library':
    case 'native':
      if (call.function === '' && call.file === '') return strings.unnamedCall;
      return strings.callAt(call.function, call.file, call.line);
    case 'beforeRecording':
    case 'noStack':
    case 'backward':
    case 'anyLibrary':
      return strings.callGroupName[call.kind];
  }
}

/** The text that fits into a box. */
export function shortName(item: FlameItem): string {
  const { call } = item;
  if (call === null || call.file === '') return itemName(item);
  return `${call.function} ${fileAndLine({ ...call, file: basename(call.file) })}`;
}

export function itemName({ call, merged }: FlameItem): string {
  if (merged > 0) return strings.mergedCalls(merged);
  return call === null ? strings.everything : callName(call);
}

/** Mean bytes over a stretch as bytes times time: `34.5 GiB·s`. */
export function byteTime(mean: number, { axis, from, to }: NonNullable<Flame['over']>): string {
  const seconds = axis === 'time' ? (to - from) / 1e6 : null;
  return seconds === null
    ? strings.byteEvents(byteText(mean * (to - from)))
    : strings.byteSeconds(byteText(mean * seconds));
}

/** The kind of an item, as a class of its box. */
export function itemClasses({ call, merged }: FlameItem): string {
  return `of-${merged > 0 ? 'merged' : (call?.kind ?? 'everything')}`;
}

/** Everything about an item, in one sentence. */
export function itemText(item: FlameItem, { liveBytes, over }: Pick<Flame, 'liveBytes' | 'over'>): string {
  const { bytes, self, blocks, merged } = item;
  const share = formatShare(bytes, liveBytes);
  const numbers =
    over === null
      ? strings.callNumbers(bytes, share, blocks)
      : strings.meanNumbers(bytes, byteTime(bytes, over), share, blocks);
  const own = self !== null && self > 0 && merged === 0 ? `; ${strings.callSelf(self)}` : '';
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
