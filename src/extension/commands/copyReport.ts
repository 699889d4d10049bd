import * as vscode from 'vscode';
import { renderMarkdown } from '../../core/render/renderMarkdown.js';
import { runNames } from '../results/runText.js';
import type { ResultsStore } from '../results/resultsStore.js';
import { folderName } from '../workspace/folderName.js';

/** Lines in the report at most, leaks apart: it is pasted into an issue. */
const MOST_LINES = 20;

/** Puts the report on the clipboard as Markdown, with runs named as in the views: no path of this machine is in it. */
export async function copyReport(store: ResultsStore): Promise<void> {
  const report = store.result?.report;
  if (report === undefined) throw new Error(vscode.l10n.t('There is no report yet: no snapshot was read.'));
  const names = runNames(report.runs, folderName, vscode.l10n);
  const runs = report.runs.map((run) => ({ ...run, id: names.get(run.id) ?? run.id }));
  await vscode.env.clipboard.writeText(renderMarkdown({ ...report, runs }, { mostLines: MOST_LINES }));
  vscode.window.setStatusBarMessage(vscode.l10n.t('Leakline: report copied'), 3_000);
}
