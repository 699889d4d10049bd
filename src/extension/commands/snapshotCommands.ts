import * as vscode from 'vscode';
import { View } from '../contributions.js';
import type { ResultsStore } from '../results/resultsStore.js';
import type { SnapshotSession } from '../session.js';
import type { Timelines } from '../timeline/timelines.js';
import { browse } from './pickSnapshot.js';

/** Reads files that the user names, and shows the last of them on the timeline. */
export async function openSnapshot(
  session: SnapshotSession,
  store: ResultsStore,
  timeline: Timelines,
  selected: readonly string[],
): Promise<void> {
  const paths = selected.length > 0 ? selected : await browse(vscode.l10n.t('Open Snapshot'), true);
  const last = paths.at(-1);
  if (last === undefined) return;
  let shown = last;
  await vscode.window.withProgress(
    { location: vscode.ProgressLocation.Window, title: vscode.l10n.t('Reading snapshots') },
    async () => {
      const opened = await Promise.all(paths.map((path) => session.open(path)));
      shown = opened.at(-1)?.at(-1)?.path ?? last;
      await session.reported();
    },
  );
  // Reference cycles have no course over time: they are a row of the view.
  const isCycles = store.result?.report.cycles.some(({ path }) => path === last) === true;
  if (isCycles) await vscode.commands.executeCommand(`${View.snapshots}.focus`);
  else await timeline.show(shown);
}

/**
 * Shows a file in the Explorer view, or if it lies outside of the workspace, in the system's file manager. Where files are
 * on another machine than the window there is none: it is said where the file lies.
 */
export async function revealSnapshot(path: string): Promise<void> {
  const uri = vscode.Uri.file(path);
  if (vscode.workspace.getWorkspaceFolder(uri) !== undefined) {
    await vscode.commands.executeCommand('revealInExplorer', uri);
  } else if (vscode.env.remoteName === undefined && vscode.env.uiKind === vscode.UIKind.Desktop) {
    await vscode.commands.executeCommand('revealFileInOS', uri);
  } else {
    const copy = vscode.l10n.t('Copy Path');
    const notice = vscode.window.showInformationMessage(vscode.l10n.t('{0} is not in this workspace.', path), copy);
    void notice.then(async (choice) => {
      if (choice === copy) await vscode.env.clipboard.writeText(path);
    });
  }
}
