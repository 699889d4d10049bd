/** The boxes of a flame graph: callers of the focus at full width, callees with a width by bytes. */
import { filterRows } from '../parts/rowOrder.js';
import type { Flame, FlameCall } from '../../src/protocol/flameData.js';

export interface FlameItem {
  /** Null for everything, and for merged calls. */
  call: FlameCall | null;
  bytes: number;
  /** Null where not known: above the focus. */
  self: number | null;
  blocks: number | null;
  /** How many calls are merged here; 0 for one call. */
  merged: number;
  /** 1 for everything. */
  level: number;
  /** The left edge, as a share of the whole width. */
  left: number;
  width: number;
  /** Index of the item above; -1 for everything. */
  parent: number;
  /** Indices of the items below, the largest first, merged calls last. */
  children: number[];
  /** Ids of the calls down to it, or to the caller of merged calls: they focus it. */
  path: readonly number[];
}

/** The items in the order of a tree: each one before its children, siblings from left to right. */
export function flameItems({
  focus,
  calls,
  tree,
  liveBytes,
}: Pick<Flame, 'focus' | 'calls' | 'tree' | 'liveBytes'>): FlameItem[] {
  const items: FlameItem[] = [];
  const add = (item: Omit<FlameItem, 'level' | 'children' | 'path'>): number => {
    const above = items.at(item.parent === -1 ? items.length : item.parent);
    const path = above?.path ?? [];
    above?.children.push(items.length);
    return (
      items.push({
        ...item,
        level: (above?.level ?? 0) + 1,
        children: [],
        path: item.call === null ? path : [...path, item.call.id],
      }) - 1
    );
  };
  const whole = { self: null, blocks: null, merged: 0, left: 0, width: 1 };
  const above = focus.length === 0 ? [] : [null, ...focus.slice(0, -1)];
  for (const one of above) {
    const call = one === null ? null : calls[one.call];
    add({ ...whole, call, bytes: one?.bytes ?? liveBytes, parent: items.length - 1 });
  }
  const first = items.length;
  /** Where the next child of a row begins. */
  const nextLeft = new Float64Array(tree.bytes.length);
  const total = tree.bytes[0];
  for (let row = 0; row < tree.bytes.length; row++) {
    const width = total === 0 ? 1 : tree.bytes[row] / total;
    const isRoot = row === 0;
    const left = isRoot ? 0 : nextLeft[tree.parent[row]];
    if (!isRoot) nextLeft[tree.parent[row]] += width;
    nextLeft[row] = left;
    const named = tree.merged[row] === 0 && (!isRoot || focus.length > 0);
    add({
      call: named ? calls[tree.call[row]] : null,
      bytes: tree.bytes[row],
      self: tree.self[row],
      blocks: tree.blocks[row],
      merged: tree.merged[row],
      left,
      width,
      parent: isRoot ? first - 1 : first + tree.parent[row],
    });
  }
  return items;
}

/** The items whose text contains every search term; none without a term. */
export function findItems(items: readonly FlameItem[], find: string, textOf: (call: FlameCall) => string): Set<number> {
  const indices =
    find.trim() === '' ? [] : items.map((_, index) => index).filter((index) => items[index].call !== null);
  const textAt = (index: number): string => {
    const { call } = items[index];
    return call === null ? '' : textOf(call);
  };
  return new Set(filterRows(indices, find, textAt));
}

/** Bytes through the found items, each counted once. */
export function bytesThrough(items: readonly FlameItem[], found: ReadonlySet<number>): number {
  let bytes = 0;
  for (const index of found) {
    let above = items[index].parent;
    while (above !== -1 && !found.has(above)) above = items[above].parent;
    if (above === -1) bytes += items[index].bytes;
  }
  return bytes;
}
