/** The difference flame graph: boxes as wide as their bytes, signed, hatched and colored by their growth. */
import type { CompareFlame } from '../../src/protocol/compareData.js';
import { countText } from '../../src/core/text/numberText.js';
import type { BoxDress } from '../flame/flameGraph.js';
import { flameItems, type FlameItem } from '../flame/flameItems.js';
import { itemName, shortName } from '../flame/flameText.js';
import { t } from '../../src/core/text/translate.js';
import { changeText, growthOf, growthText } from './growthText.js';

export interface ComparedItem extends FlameItem {
  bytesA: number;
  bytesB: number;
  /** Null where not known: above the focus. */
  blocksA: number | null;
  blocksB: number | null;
}

/** Growth beyond this share of the larger side is strong. */
const STRONG = 0.25;

/** The boxes of a difference flame graph, in the order of {@link flameItems}. */
export function comparedItems(flame: CompareFlame): ComparedItem[] {
  const { focus, calls, tree, bytesA, bytesB } = flame;
  const all = { bytesA, bytesB };
  const widths = focus.map(({ call, ...sides }) => ({ call, bytes: Math.max(sides.bytesA, sides.bytesB) }));
  const items = flameItems({ focus: widths, calls, tree, liveBytes: Math.max(bytesA, bytesB) });
  return items.map((item, index) => {
    const row = index - focus.length;
    if (row < 0) return { ...item, ...(index === 0 ? all : focus[index - 1]), blocksA: null, blocksB: null };
    return {
      ...item,
      bytesA: flame.rowBytesA[row],
      bytesB: flame.rowBytesB[row],
      blocksA: flame.rowBlocksA[row],
      blocksB: flame.rowBlocksB[row],
    };
  });
}

export function comparedDress(item: ComparedItem): BoxDress {
  const { bytesA, bytesB } = item;
  const growth = bytesB - bytesA;
  const share = Math.abs(growth) / Math.max(1, bytesA, bytesB);
  const strength = growth === 0 ? '' : share > STRONG ? ' strong' : ' weak';
  const text = `${growthText(growth)} ${boxName(item)}`;
  return {
    text,
    // The order of the table.
    label: `${text}. ${comparedText(item)}`,
    classes: `difference of-${growthOf(growth)}${strength}`,
  };
}

/** Everything about a box, in one sentence. */
export function comparedText(item: ComparedItem): string {
  const { bytesA, bytesB, blocksA, blocksB } = item;
  const news = bytesA === 0 && bytesB > 0 ? t('only in B') : bytesB === 0 && bytesA > 0 ? t('only in A') : null;
  const blocks =
    blocksA === null || blocksB === null ? null : t('{0} → {1} blocks', countText(blocksA), countText(blocksB));
  return [`${comparedName(item)}: ${changeText(bytesA, bytesB)}`, blocks, news]
    .filter((part) => part !== null)
    .join(', ');
}

function boxName(item: ComparedItem): string {
  return item.call === null ? comparedName(item) : shortName(item);
}

function comparedName(item: ComparedItem): string {
  return item.call === null && item.merged === 0 ? t('Everything') : itemName(item);
}
