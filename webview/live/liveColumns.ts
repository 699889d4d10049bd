/** The columns of the list of lines and stacks. */
import type { LiveLine } from '../../src/protocol/timelineData.js';
import { el } from '../dom.js';
import { formatShare } from '../format.js';
import { pathEnd, placeText } from '../place.js';
import { strings } from '../strings.js';
import {
  bytesColumn,
  countColumn,
  nameColumn,
  placeCell,
  textCell,
  type Cell,
  type Column,
} from '../table/dataTable.js';
import type { LiveSort } from '../viewState.js';
import type { LiveRow } from './rows.js';

/** A row of the list, or a sum of some. */
export type ListRow = LiveRow | { kind: 'sum'; name: string; bytes: number; blocks: number };

/** @param whole what the rows are parts of */
export function liveColumns(whole: number, swatch: (row: ListRow) => HTMLElement | null): Column<ListRow, LiveSort>[] {
  return [
    bytesColumn(strings.columnBytes, ({ bytes }) => bytes, 'bytes'),
    { text: strings.columnShare, kind: 'share', cell: (row) => shareCell(row, whole) },
    countColumn(strings.columnBlocks, ({ blocks }) => blocks, 'blocks'),
    nameColumn(strings.columnLine, (row) => lineCell(row, swatch(row)), 'line'),
    { text: strings.columnFunction, kind: 'function', cell: functionCell },
  ];
}

function shareCell({ kind, bytes }: ListRow, whole: number): Cell {
  const percent = el('span', { class: 'percent' }, formatShare(bytes, whole));
  if (kind === 'sum') return { content: percent };
  const bar = el('span', { class: 'bar', attributes: { 'aria-hidden': 'true' } });
  bar.style.setProperty('--share', String(Math.min(1, Math.max(0, bytes / whole))));
  return { content: el('span', {}, bar, percent) };
}

function lineCell(row: ListRow, swatch: HTMLElement | null): Cell {
  const content = el('span', {}, ...(swatch === null ? [] : [swatch]));
  if (row.kind === 'sum') content.append(row.name);
  else if (row.kind !== 'line') content.append(strings[row.kind]);
  else {
    if (row.pointedOut) content.append(el('span', { class: 'pointer', title: strings.pointedOut }, '▶ '));
    content.append(placeCell(placeText(pathEnd(row.line.file), row.line.line), row.line.mapped).content);
    if (!row.line.mapped) content.append(el('span', { class: 'secondary' }, ` (${strings.notMapped})`));
  }
  return row.kind === 'line' ? { content, title: placeText(row.line.file, row.line.line) } : { content };
}

function functionCell(row: ListRow): Cell {
  if (row.kind === 'sum') return { content: '' };
  if (row.kind === 'line') return stackCell(row.line);
  const hints = {
    library: strings.libraryHint,
    beforeRecording: strings.beforeRecordingHint,
    noStack: strings.noStackHint,
    unexplained: strings.unexplainedHint,
  };
  return { content: hints[row.kind], class: 'secondary' };
}

/** The function of a line; of a stack, who called whom. */
function stackCell({ frames, hiddenFrames, function: name }: LiveLine): Cell {
  if (frames === null) return textCell(name);
  const title = [
    ...frames.map((frame) => `${placeText(frame.file, frame.line)} ${frame.function}`),
    ...(hiddenFrames === 0 ? [] : [strings.hiddenNative(hiddenFrames)]),
  ];
  return { content: frames.map((frame) => frame.function).join(' \u2190 '), title: title.join('\n') };
}
