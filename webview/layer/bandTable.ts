/** The bands for those who cannot see them, or want their numbers: one row for each, and the others in one. */
import { el } from '../dom.js';
import { formatBytes, formatExactBytes } from '../format.js';
import type { TimelineSession } from '../session.js';
import type { Store } from '../store.js';
import { strings } from '../strings.js';
import type { ViewState } from '../viewState.js';
import { groupName, strandName } from './bandText.js';
import type { Pile } from './pile.js';

export function createBandTable(store: Store<ViewState>, session: TimelineSession): HTMLElement {
  const body = el('tbody');
  const head = (text: string, kind = ''): HTMLElement => el('th', { class: kind, attributes: { scope: 'col' } }, text);
  const heads = el(
    'tr',
    {},
    head(strings.columnBand),
    head(strings.columnHighest, 'number'),
    head(strings.columnFirst, 'number'),
    head(strings.columnLast, 'number'),
    head(strings.columnAllocations, 'number'),
  );
  const caption = el('caption', {}, strings.bandTable);
  const table = el('table', { class: 'band-table' }, caption, el('thead', {}, heads), body);
  const region = el('div', { class: 'curve-region' }, table);
  let drawn: Pile | null = null;
  store.watch(({ pile, wholePile, curveAsTable, layer }) => {
    const front = pile ?? wholePile;
    region.hidden = !layer || front === null;
    if (!curveAsTable || front === null || front === drawn) return;
    drawn = front;
    body.replaceChildren(...rowsOf(front, session));
  });
  return region;
}

function rowsOf(pile: Pile, session: TimelineSession): HTMLElement[] {
  const { values, bands, blockOffset } = pile;
  const rows = values.map((of, strand) => ({
    strand,
    of,
    highest: of.reduce((most, value) => Math.max(most, value), 0),
  }));
  const cell = (bytes: number): HTMLElement =>
    el('td', { class: 'number', title: formatExactBytes(bytes) }, formatBytes(bytes));
  return rows
    .filter(({ highest }) => highest > 0)
    .sort((a, b) => b.highest - a.highest)
    .map(({ strand, of, highest }) => {
      const group = groupName(bands, strand);
      const owner = bands.strands.at(strand);
      const name = strandName(bands, strand, 'whole');
      const named = el('th', { attributes: { scope: 'row' } });
      if (owner?.place?.mapped === true) {
        const button = el('button', { class: 'link' }, name);
        button.addEventListener('click', () => {
          session.openBand(owner);
        });
        named.append(button);
      } else named.append(name);
      if (group !== '') named.append(el('span', { class: 'aside' }, ` \u00b7 ${group}`));
      const outlined = blockOffset[strand + 1] - blockOffset[strand];
      return el(
        'tr',
        {},
        named,
        cell(highest),
        cell(of[0]),
        cell(of[of.length - 1]),
        el('td', { class: 'number' }, String(outlined)),
      );
    });
}
