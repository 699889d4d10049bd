/** The key of colors under the plot, the largest series first. */
import { visibleLines } from '../../src/core/text/plainText.js';
import { el } from '../ui/dom.js';
import type { Store } from '../model/store.js';
import { t } from '../../src/core/text/translate.js';
import { countText } from '../../src/core/text/numberText.js';
import { readTheme, watchTheme } from '../ui/theme.js';
import type { ViewState } from '../model/viewState.js';
import { groupName, seriesName } from './bandText.js';
import { paintsOf, type BandPaint } from './palette.js';
import type { StackedBands } from '../model/stackedBands.js';
import { swatch } from './swatches.js';

/** More than these would be a wall of words; the table has them all. */
const MAX_ENTRIES = 10;

export function createBandKey(store: Store<ViewState>): HTMLElement {
  const list = el('ul', { 'aria-label': t('Colors') });
  const key = el('div', { class: 'band-key' }, list);
  let shownText = '';
  const draw = (stacked: StackedBands | null): void => {
    if (stacked === null) return;
    const paints = paintsOf(stacked, readTheme(key));
    const entries = entriesOf(stacked, paints);
    // During a zoom, most answers are the same.
    const text = JSON.stringify(entries);
    if (text !== shownText) list.replaceChildren(...itemsOf(entries));
    shownText = text;
  };
  store.follow(
    ({ stacked, wholeBands }) => [stacked ?? wholeBands],
    ([front]) => draw(front),
  );
  watchTheme(() => draw(store.get().stacked ?? store.get().wholeBands));
  return key;
}

interface Entries {
  /** `title` is the whole name. */
  shown: { name: string; title: string; paint: BandPaint }[];
  more: number;
}

function entriesOf(stacked: StackedBands, paints: readonly BandPaint[]): Entries {
  const entries = new Map<string, { name: string; bytes: number; paint: BandPaint }>();
  stacked.values.forEach((values, series) => {
    const group = groupName(stacked.bands, series);
    const whole = group || seriesName(stacked.bands, series, 'whole');
    const bytes = values.reduce((most, value) => Math.max(most, value), 0);
    const before = entries.get(whole);
    const name = group || seriesName(stacked.bands, series, 'end');
    if (before !== undefined) before.bytes += bytes;
    else if (bytes > 0) entries.set(whole, { name, bytes, paint: paints[series] });
  });
  const largest = [...entries].sort(([, a], [, b]) => b.bytes - a.bytes);
  return {
    shown: largest.slice(0, MAX_ENTRIES).map(([title, { name, paint }]) => ({
      // Files with equal path ends get their full paths.
      name: largest.some(([other, entry]) => entry.name === name && other !== title) ? title : name,
      title,
      paint,
    })),
    more: largest.length - MAX_ENTRIES,
  };
}

function itemsOf({ shown, more }: Entries): HTMLElement[] {
  const items = shown.map(({ name, title, paint }) => {
    const item = el('li', {}, swatch(paint), el('span', { class: 'name' }, name));
    item.title = visibleLines(title);
    return item;
  });
  return more > 0 ? [...items, el('li', { class: 'secondary' }, t('and {0} more', countText(more)))] : items;
}
