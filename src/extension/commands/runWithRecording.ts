import * as vscode from 'vscode';
import type { RecordingTasks } from '../recording/recordingTask.js';

/**
 * Runs a Python file under the recorder, in a terminal. Snapshots appear in the workspace folder, where they are found.
 * @param target a file of the explorer or of an editor's title; the active editor's if null
 * @throws Error with a sentence for people
 */
export async function runWithRecording(tasks: RecordingTasks, target: vscode.Uri | null): Promise<void> {
  if (!vscode.workspace.isTrusted) {
    throw new Error(vscode.l10n.t('This workspace is not trusted, so nothing of it is run. Trust it first.'));
  }
  const uri = target ?? vscode.window.activeTextEditor?.document.uri;
  if (uri?.scheme !== 'file') throw new Error(vscode.l10n.t('Open the Python file that trains first.'));
  const open = vscode.workspace.textDocuments.find((document) => document.uri.toString() === uri.toString());
  if (open?.isDirty === true && !(await open.save())) return;
  await vscode.tasks.executeTask(await tasks.taskFor(uri));
}
