import * as vscode from 'vscode';
import { homedir } from 'node:os';
import type { SavedFile } from '../../protocol/saveData.js';

/** Letters of a name at most. */
const LONGEST_NAME = 100;

/**
 * Asks where a picture or a table shall go, and writes it there.
 * @returns the path, null if the user changed their mind
 */
export async function saveFile({ name, kind, content }: SavedFile): Promise<string | null> {
  const folder = vscode.workspace.workspaceFolders?.at(0)?.uri ?? vscode.Uri.file(homedir());
  const names = {
    png: vscode.l10n.t('PNG picture'),
    csv: vscode.l10n.t('CSV table'),
  };
  const target = await vscode.window.showSaveDialog({
    defaultUri: vscode.Uri.joinPath(folder, `${fileName(name)}.${kind}`),
    filters: { [names[kind]]: [kind] },
  });
  if (target === undefined) return null;
  await vscode.workspace.fs.writeFile(target, content);
  return target.scheme === 'file' ? target.fsPath : target.path;
}

function fileName(name: string): string {
  const safe = name.replace(/[^\p{L}\p{N}._-]+/gu, '-').replace(/^[.-]+|[.-]+$/g, '');
  return safe.slice(0, LONGEST_NAME) || 'leakline';
}
