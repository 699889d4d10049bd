/** The menu that saves or copies the chart and the tab below it. */
import { el, setText } from '../ui/dom.js';
import { popup } from './popup.js';
import { sentenceOf } from '../model/question.js';
import { strings } from '../text/strings.js';
import { createButton } from '../ui/button.js';
import type { Exporter } from './exporter.js';
import type { Store } from '../model/store.js';
import type { ViewState } from '../model/viewState.js';
import { savedName } from './savedName.js';
import type { TableData } from './tableData.js';

export interface Saved {
  /** Names it in the menu. */
  label: string;
  /** Names it in the file. */
  what: string;
  /** Null while nothing is drawn. */
  picture?: () => HTMLCanvasElement | null;
  /** Null while nothing is listed. */
  table?: () => TableData | null;
}

/** @param parts the visible parts when the menu opens */
export function createSaveMenu(
  store: Store<ViewState>,
  exporter: Exporter,
  parts: () => readonly Saved[],
): HTMLElement {
  const status = el('span', { class: 'export-status', attributes: { role: 'status' } });
  const rows = el('div');
  const button = <Item>(text: string, of: () => Item | null, save: (item: Item) => Promise<string>): HTMLElement =>
    createButton({
      text,
      onPress: () => {
        const item = of();
        const begun = item === null ? Promise.resolve(strings.nothingToSave) : save(item);
        begun.then(
          (sentence) => setText(status, sentence),
          (error: unknown) => setText(status, strings.saveFailed(sentenceOf(error))),
        );
      },
    }).element;
  const nameOf = (what: string): string => savedName(store.get(), what);
  const rowOf = ({ label, what, picture, table }: Saved): HTMLElement =>
    el(
      'div',
      { class: 'saved', attributes: { role: 'group', 'aria-label': label } },
      el('span', {}, label),
      ...(picture === undefined
        ? []
        : [button(strings.saveAs.png, picture, (drawn) => exporter.savePicture(nameOf(what), drawn))]),
      ...(table === undefined
        ? []
        : [
            button(strings.saveAs.csv, table, (data) => exporter.saveTable(nameOf(what), data)),
            button(strings.copyTable, table, (data) => exporter.copyTable(data)),
          ]),
    );
  const menu = popup('export', strings.save, el('div', { class: 'menu' }, rows, status));
  menu.addEventListener('toggle', () => {
    setText(status, '');
    if (menu.open) rows.replaceChildren(...parts().map(rowOf));
  });
  return menu;
}
