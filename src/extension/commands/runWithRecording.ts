import * as vscode from 'vscode';
import type { RecordingTasks } from '../recording/recordingTask.js';
import { runRecording } from '../recording/runRecording.js';

/**
 * @param target a file of the explorer or of an editor's title; the active editor's if null
 * @throws Error with one sentence
 */
export async function runWithRecording(tasks: RecordingTasks, target: vscode.Uri | null): Promise<void> {
  const uri = target ?? vscode.window.activeTextEditor?.document.uri;
  if (uri?.scheme !== 'file') throw new Error(vscode.l10n.t('Open the Python file that trains first.'));
  await runRecording(tasks, uri);
}
