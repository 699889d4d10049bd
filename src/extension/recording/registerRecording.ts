import * as vscode from 'vscode';
import { RECORDING_TASK_TYPE } from '../contributions.js';
import { recordingDebugConfigurations } from './recordingDebug.js';
import type { RecordingTasks } from './recordingTask.js';

/** Puts recording where VS Code lists tasks and debug configurations. */
export function registerRecording(tasks: RecordingTasks): vscode.Disposable[] {
  const { Dynamic } = vscode.DebugConfigurationProviderTriggerKind;
  return [
    vscode.tasks.registerTaskProvider(RECORDING_TASK_TYPE, tasks),
    vscode.debug.registerDebugConfigurationProvider('debugpy', recordingDebugConfigurations, Dynamic),
  ];
}
