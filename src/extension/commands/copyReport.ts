import * as vscode from 'vscode';
import { runNames } from '../results/runText.js';
import type { ResultsStore } from '../results/resultsStore.js';
import { reportMarkdown } from './reportMarkdown.js';
import { folderName } from '../workspace/folderName.js';

/** Puts the report on the clipboard as Markdown. */
export async function copyReport(store: ResultsStore): Promise<void> {
  const runs = store.result?.report.runs;
  if (runs === undefined) throw new Error(vscode.l10n.t('There is no report yet: no snapshot was read.'));
  const names = runNames(runs, folderName, vscode.l10n);
  await vscode.env.clipboard.writeText(reportMarkdown(runs, (run) => names.get(run.id) ?? run.id, vscode.l10n));
  vscode.window.setStatusBarMessage(vscode.l10n.t('Leakline: report copied'), 3_000);
}
