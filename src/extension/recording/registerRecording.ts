import * as vscode from 'vscode';
import { RECORDING_TASK_TYPE, Command } from '../contributions.js';
import type { RecordingTasks } from './recordingTask.js';

/** Puts recording where VS Code lists tasks and debug configurations. */
export function registerRecording(tasks: RecordingTasks): vscode.Disposable[] {
  const { Dynamic } = vscode.DebugConfigurationProviderTriggerKind;
  return [
    vscode.tasks.registerTaskProvider(RECORDING_TASK_TYPE, tasks),
    vscode.debug.registerDebugConfigurationProvider('debugpy', recordingDebugConfigurations, Dynamic),
  ];
}

/** Offers the active file under the Python debugger and the recorder together, in the list of configurations. */
export const recordingDebugConfigurations: vscode.DebugConfigurationProvider = {
  provideDebugConfigurations: () => [
    {
      name: vscode.l10n.t('Python: current file with Leakline recording'),
      type: 'debugpy',
      request: 'launch',
      // A command, not a path: saved in launch.json it outlives updates of the extension.
      program: `\${command:${Command.recorderPath}}`,
      args: ['${file}'],
      cwd: '${workspaceFolder}',
      console: 'integratedTerminal',
    },
  ],
};
