import * as vscode from 'vscode';
import type { RecordingTasks } from '../recording/recordingTask.js';
import { runRecording } from '../recording/runRecording.js';

/**
 * @param target a file of the explorer or of an editor's title; the active editor's if null, else one that the user picks
 * @throws Error with one sentence
 */
export async function runWithRecording(tasks: RecordingTasks, target: vscode.Uri | null): Promise<void> {
  const uri = target ?? (await pickPythonFile(vscode.l10n.t('Run Python File with Recording')));
  if (uri !== undefined) await runRecording(tasks, uri);
}

/** Files that are offered at most: a quick pick is not a file browser. */
const MOST_FILES = 500;
const LEFT_OUT = '**/{node_modules,site-packages,.venv,venv,env,__pycache__}/**';

/**
 * The Python file that a command works on: the active editor's, else one that the user picks.
 * @returns undefined if they changed their mind, or the workspace has none and they are asked to open another
 */
export async function pickPythonFile(title: string): Promise<vscode.Uri | undefined> {
  const document = vscode.window.activeTextEditor?.document;
  if (document?.languageId === 'python' && document.uri.scheme === 'file') return document.uri;
  const files = await vscode.workspace.findFiles('**/*.py', LEFT_OUT, MOST_FILES);
  if (files.length === 0) {
    const open = vscode.l10n.t('Open Folder…');
    const text = vscode.l10n.t('Open the folder of the training code first.');
    if ((await vscode.window.showInformationMessage(text, open)) === open) {
      await vscode.commands.executeCommand('vscode.openFolder');
    }
    return undefined;
  }
  const items = files
    .map((uri) => ({ label: vscode.workspace.asRelativePath(uri), uri }))
    .sort((a, b) => a.label.split('/').length - b.label.split('/').length || a.label.localeCompare(b.label));
  const placeHolder = vscode.l10n.t('Which file trains?');
  return (await vscode.window.showQuickPick(items, { title, placeHolder }))?.uri;
}
