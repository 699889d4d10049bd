/** Saves pictures and tables of the page: the extension asks for the file and writes it. */
import type { SavedKind } from '../../src/protocol/saveData.js';
import type { Host } from '../model/host.js';
import { strings } from '../text/strings.js';
import { clipboardText, csvOf, type TableData } from './tableData.js';

export class Exporter {
  constructor(private readonly host: Pick<Host, 'call'>) {}

  /** @returns a sentence on the result; empty if the user cancelled */
  async savePicture(name: string, picture: HTMLCanvasElement): Promise<string> {
    return this.save(name, 'png', await pngOf(picture));
  }

  async saveTable(name: string, table: TableData): Promise<string> {
    // Spreadsheets need the byte order mark to detect UTF-8.
    return this.save(name, 'csv', new TextEncoder().encode(`\ufeff${csvOf(table)}`));
  }

  async copyTable(table: TableData): Promise<string> {
    await this.host.call('copyText', { text: clipboardText(table) });
    return strings.copied;
  }

  private async save(name: string, kind: SavedKind, content: Uint8Array): Promise<string> {
    const { file } = await this.host.call('saveFile', { name, kind, content });
    return file === null ? '' : strings.savedAs(file);
  }
}

async function pngOf(canvas: HTMLCanvasElement): Promise<Uint8Array> {
  const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, 'image/png'));
  if (blob === null) throw new Error(strings.pictureTooLarge);
  return new Uint8Array(await blob.arrayBuffer());
}
