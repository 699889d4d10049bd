import * as vscode from 'vscode';
import { visibleText } from '../../core/text/plainText.js';
import { allSnapshots } from '../../core/report/snapshotReport.js';
import { newestFirst } from '../results/runOrder.js';
import { runNames, snapshotText } from '../results/runText.js';
import type { ResultsStore } from '../results/resultsStore.js';
import { basename } from '../../core/text/pathText.js';
import { folderName } from '../workspace/folderName.js';

interface SnapshotItem extends vscode.QuickPickItem {
  /** Absent on the entry that opens the file dialog. */
  path?: string;
}

/** File name filters of the dialog; content decides whether a file is a snapshot. */
function snapshotFilters(): Record<string, string[]> {
  return {
    [vscode.l10n.t('Memory snapshots')]: 'pickle pkl gz pt pth zip json jsonl html dot prof csv txt'.split(' '),
    [vscode.l10n.t('All files')]: ['*'],
  };
}

/** Lets the user choose files on disk. Empty if they changed their mind. */
export async function browse(title: string, canSelectMany: boolean): Promise<string[]> {
  const defaultUri = vscode.workspace.workspaceFolders?.at(0)?.uri;
  const filters = snapshotFilters();
  const uris = await vscode.window.showOpenDialog({
    title,
    canSelectMany,
    filters,
    ...(defaultUri === undefined ? {} : { defaultUri }),
  });
  return (uris ?? []).map(({ fsPath }) => fsPath);
}

/** Lets the user choose one of the known snapshots, or a file. Undefined if they changed their mind. */
export async function pickSnapshot(
  store: ResultsStore,
  texts: { title: string; placeHolder: string },
  leaveOut: string | null,
): Promise<string | undefined> {
  const runs = store.result?.report.runs ?? [];
  const names = runNames(runs, folderName);
  const items = newestFirst(runs).flatMap((run): SnapshotItem[] => [
    { label: visibleText(names.get(run.id) ?? run.id), kind: vscode.QuickPickItemKind.Separator },
    ...allSnapshots(run)
      .filter(({ path }) => path !== leaveOut)
      .map((snapshot) => ({
        label: visibleText(basename(snapshot.path)),
        description: visibleText(snapshotText(snapshot)),
        iconPath: new vscode.ThemeIcon('database'),
        path: snapshot.path,
      })),
  ]);
  const other: SnapshotItem[] = [
    { label: '', kind: vscode.QuickPickItemKind.Separator },
    { label: vscode.l10n.t('Browse…'), iconPath: new vscode.ThemeIcon('folder-opened') },
  ];
  const choice = await vscode.window.showQuickPick([...items, ...other], { ...texts, matchOnDescription: true });
  if (choice === undefined) return undefined;
  return choice.path ?? (await browse(texts.title, false)).at(0);
}
