import * as vscode from 'vscode';

/** Files that are offered at most: a quick pick is not a file browser. */
const MOST_FILES = 500;
const LEFT_OUT = '**/{node_modules,site-packages,.venv,venv,env,__pycache__}/**';

/**
 * The Python file that a command works on: the active editor's, else one that the user picks.
 * @returns undefined if they changed their mind
 * @throws Error with one sentence if the workspace has none
 */
export async function pickPythonFile(title: string): Promise<vscode.Uri | undefined> {
  const document = vscode.window.activeTextEditor?.document;
  if (document?.languageId === 'python' && document.uri.scheme === 'file') return document.uri;
  const files = await vscode.workspace.findFiles('**/*.py', LEFT_OUT, MOST_FILES);
  if (files.length === 0)
    throw new Error(vscode.l10n.t('This workspace has no Python file: open the folder of the training.'));
  const items = files
    .map((uri) => ({ label: vscode.workspace.asRelativePath(uri), uri }))
    .sort((a, b) => a.label.split('/').length - b.label.split('/').length || a.label.localeCompare(b.label));
  const placeHolder = vscode.l10n.t('Which file trains?');
  return (await vscode.window.showQuickPick(items, { title, placeHolder }))?.uri;
}
