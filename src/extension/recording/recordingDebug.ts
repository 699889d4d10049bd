import * as vscode from 'vscode';
import { Command } from '../contributions.js';

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
