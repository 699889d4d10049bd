/** Beside a picture or a table: what can be saved or copied of it. */
import { el, setText } from '../dom.js';
import { popup } from '../popup.js';
import { strings } from '../strings.js';
import { createButton } from '../ui/button.js';
import type { Exporter } from './exporter.js';
import type { TableData } from './tableData.js';

export interface Exportable {
  /** Name of the file, without its ending. */
  name: () => string;
  /** Null while nothing is drawn. */
  picture?: () => HTMLCanvasElement | null;
  /** Null while nothing is listed. */
  table?: () => TableData | null;
}

export function createExportMenu(exporter: Exporter, { name, picture, table }: Exportable): HTMLElement {
  const status = el('span', {
    class: 'export-status',
    attributes: { role: 'status' },
  });
  const run = (work: () => Promise<string> | null): void => {
    const begun = work();
    if (begun === null) {
      setText(status, strings.nothingToSave);
      return;
    }
    begun.then(
      (sentence) => {
        setText(status, sentence);
      },
      (error: unknown) => {
        setText(status, strings.saveFailed(error instanceof Error ? error.message : String(error)));
      },
    );
  };
  const buttons: HTMLElement[] = [];
  const add = (text: string, work: () => Promise<string> | null): void => {
    buttons.push(
      createButton({
        text,
        onPress: () => {
          run(work);
        },
      }).element,
    );
  };
  const drawn = picture;
  if (drawn !== undefined) {
    add(strings.saveAs.png, () => {
      const canvas = drawn();
      return canvas === null ? null : exporter.savePicture(name(), canvas);
    });
  }
  const listed = table;
  if (listed !== undefined) {
    add(strings.saveAs.csv, () => {
      const data = listed();
      return data === null ? null : exporter.saveTable(name(), data);
    });
    add(strings.copyTable, () => {
      const data = listed();
      return data === null ? null : exporter.copyTable(data);
    });
  }
  return popup('export', strings.save, el('div', { class: 'menu' }, ...buttons, status));
}
