import * as vscode from 'vscode';
import type { RecordingTasks } from '../recording/recordingTask.js';
import { runRecording } from '../recording/runRecording.js';
import { pickPythonFile } from './pickPythonFile.js';

/**
 * @param target a file of the explorer or of an editor's title; the active editor's if null, else one that the user picks
 * @throws Error with one sentence
 */
export async function runWithRecording(tasks: RecordingTasks, target: vscode.Uri | null): Promise<void> {
  const uri = target ?? (await pickPythonFile(vscode.l10n.t('Run Python File with Recording')));
  if (uri !== undefined) await runRecording(tasks, uri);
}
