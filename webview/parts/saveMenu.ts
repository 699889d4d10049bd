/** The menu that saves or copies the chart and the tab below it. */
import { el, setText } from '../ui/dom.js';
import { popup } from './popup.js';
import { reasonOf } from '../model/question.js';
import { t } from '../../src/core/text/translate.js';
import { createButton } from '../ui/button.js';
import type { Host } from '../model/host.js';
import type { Store } from '../model/store.js';
import type { ViewState } from '../model/viewState.js';
import type { SavedKind } from '../../src/protocol/saveData.js';
import { clipboardText, csvOf, type TableData } from './tableData.js';

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
  host: Pick<Host, 'call'>,
  parts: () => readonly Saved[],
): HTMLElement {
  /** The extension asks for the file and writes it. @returns a sentence on the result; empty if the user cancelled */
  const saved = async (what: string, kind: SavedKind, content: Uint8Array): Promise<string> => {
    const { file } = await host.call('saveFile', { name: savedName(store.get(), what), kind, content });
    return file === null ? '' : t('Saved as {0}.', file);
  };
  const status = el('span', { class: 'export-status', role: 'status' });
  const rows = el('div');
  const button = <Item>(text: string, of: () => Item | null, save: (item: Item) => Promise<string>): HTMLElement =>
    createButton({
      text,
      onPress: () => {
        const item = of();
        const begun = item === null ? Promise.resolve(t('There is nothing to save yet.')) : save(item);
        begun.then(
          (sentence) => setText(status, sentence),
          (error: unknown) => setText(status, t('Saving failed: {0}', reasonOf(error))),
        );
      },
    });
  const rowOf = ({ label, what, picture, table }: Saved): HTMLElement =>
    el(
      'div',
      { class: 'saved', role: 'group', 'aria-label': label },
      el('span', {}, label),
      ...(picture === undefined
        ? []
        : [button(t('PNG'), picture, async (drawn) => saved(what, 'png', await pngOf(drawn)))]),
      ...(table === undefined
        ? []
        : [
            // Spreadsheets need the byte order mark to detect UTF-8.
            button(t('CSV'), table, (data) => saved(what, 'csv', new TextEncoder().encode(`\ufeff${csvOf(data)}`))),
            button(t('Copy'), table, async (data) => {
              await host.call('copyText', { text: clipboardText(data) });
              return t('Copied.');
            }),
          ]),
    );
  const menu = popup('export', t('Save…'), el('div', { class: 'menu' }, rows, status));
  menu.addEventListener('toggle', () => {
    setText(status, '');
    if (menu.open) rows.replaceChildren(...parts().map(rowOf));
  });
  return menu;
}

/** The name of a saved file, without its ending. */
function savedName({ choices, selection, compare, view }: ViewState, what: string): string {
  const paths = view === 'compare' ? [compare.pair?.a, compare.pair?.b] : [selection?.path];
  const labels = paths.flatMap((path) => choices?.find((choice) => choice.path === path)?.label ?? []);
  return [...labels.map((label) => label.replace(/\.[^.]*(\.gz)?$/, '')), what].join('-');
}

async function pngOf(canvas: HTMLCanvasElement): Promise<Uint8Array> {
  const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, 'image/png'));
  if (blob === null) throw new Error(t('The picture is too large.'));
  return new Uint8Array(await blob.arrayBuffer());
}
