import * as vscode from 'vscode';
import type { PathRule } from '../../core/attribution/paths/pathMapping.js';
import type { ResultsStore } from '../results/resultsStore.js';
import { addPathRule } from '../settings.js';
import { folderPrefix } from '../workspace/reportPaths.js';
import { recordedFolders, ruleFromChoice, unmappedFiles } from '../workspace/recordedFolders.js';

interface FolderItem extends vscode.QuickPickItem {
  folder?: string;
  ambiguous?: { recorded: string; candidates: readonly string[] };
}

/** Asks for the workspace folder of a recorded folder, and stores the answer in the workspace's settings. */
export async function mapRecordedFolder(store: ResultsStore): Promise<void> {
  const { unmapped, ambiguous: open } = store.result?.paths ?? { unmapped: [], ambiguous: [] };
  const { files: lost } = unmappedFiles(unmapped);
  if (lost.length + open.length === 0) {
    throw new Error(vscode.l10n.t('Every recorded file is matched: there is nothing to map.'));
  }
  const items: FolderItem[] = [
    ...open.map((ambiguous) => ({
      label: ambiguous.recorded,
      description: vscode.l10n.t('{0} files of the workspace could be this one', ambiguous.candidates.length),
      ambiguous,
    })),
    ...recordedFolders(lost).map(({ folder, files }) => ({
      label: folder,
      description: files === 1 ? vscode.l10n.t('1 file') : vscode.l10n.t('{0} files', files),
      folder,
    })),
  ];
  const title = vscode.l10n.t('Map Recorded Folder');
  const choice = await vscode.window.showQuickPick(items, {
    title,
    placeHolder: vscode.l10n.t('Which recorded folder is in this workspace?'),
  });
  if (choice === undefined) return;
  const rule =
    choice.ambiguous === undefined
      ? await ruleFromDialog(choice.folder ?? '', title)
      : await ruleFromPick(choice.ambiguous, title);
  if (rule !== undefined) await addPathRule(rule);
}

async function ruleFromPick(
  { recorded, candidates }: { recorded: string; candidates: readonly string[] },
  title: string,
): Promise<PathRule | undefined> {
  const candidate = await vscode.window.showQuickPick([...candidates], {
    title,
    placeHolder: vscode.l10n.t('Which file is {0}?', recorded),
  });
  return candidate === undefined ? undefined : ruleFromChoice(recorded, candidate);
}

async function ruleFromDialog(recorded: string, title: string): Promise<PathRule | undefined> {
  const folders = vscode.workspace.workspaceFolders ?? [];
  const first = folders.at(0);
  if (first === undefined) throw new Error(vscode.l10n.t('Open the folder of the training code first.'));
  const chosen = await vscode.window.showOpenDialog({
    title,
    openLabel: vscode.l10n.t('This is {0}', recorded),
    canSelectFiles: false,
    canSelectFolders: true,
    defaultUri: first.uri,
  });
  const uri = chosen?.at(0);
  if (uri === undefined) return undefined;
  const folder = vscode.workspace.getWorkspaceFolder(uri);
  if (folder === undefined) throw new Error(vscode.l10n.t('{0} is not in this workspace.', uri.fsPath));
  const below = uri.path.slice(folder.uri.path.length).replace(/^\//, '');
  return { recorded, workspace: (folderPrefix(folder) + below).replace(/\/$/, '') };
}
