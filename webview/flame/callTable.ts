/** The boxes of the flame graph as rows of a table. */
import type { FlameSort } from '../model/flameState.js';
import { bytesColumn, countColumn, nameColumn, placeCell, type Cell, type Column } from '../parts/dataTable.js';
import { countText } from '../../src/core/text/numberText.js';
import { formatShare } from '../text/format.js';
import { t } from '../../src/core/text/translate.js';
import { strings } from '../text/strings.js';
import { el } from '../ui/dom.js';
import type { FlameItem } from './flameItems.js';
import { itemName } from './flameText.js';

export function lineOf({ call }: FlameItem): { file: string; line: number } | null {
  return call?.mapped === true && call.line > 0 ? call : null;
}

export function callColumns(live: number, total: FlameItem): Column<FlameItem, FlameSort>[] {
  const nameOf = (item: FlameItem): Cell => {
    if (item === total) return { content: strings.total };
    const content = el('span', { class: 'depth' }, placeCell(itemName(item), lineOf(item) !== null).content);
    content.style.setProperty('--depth', String(item.level - 1));
    return { content };
  };
  return [
    nameColumn(t('Call'), nameOf, 'call'),
    {
      text: t('Level'),
      kind: 'number',
      cell: (item) => ({ content: item === total ? '' : countText(item.level - 1) }),
    },
    bytesColumn(t('Own bytes'), ({ self }) => self, 'self'),
    bytesColumn(t('Bytes'), ({ bytes }) => bytes, 'bytes'),
    { text: strings.columnShare, kind: 'number', cell: ({ bytes }) => ({ content: formatShare(bytes, live) }) },
    countColumn(t('Blocks'), ({ blocks }) => blocks, 'blocks'),
  ];
}
