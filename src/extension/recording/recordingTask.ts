/** A Python program that runs under the recorder, as a task of VS Code: with a terminal, a way to stop it and to repeat it. */
import * as v from 'valibot';
import * as vscode from 'vscode';
import { Command, RECORDING_TASK_TYPE } from '../contributions.js';
import { recorderOptions } from '../settings.js';
import type { Interpreters } from './interpreters.js';

/** The properties of a task of this type in `tasks.json`. */
const recordingDefinition = v.object({
  /** Path of the script; relative to the workspace folder or absolute. */
  program: v.string(),
  /** Arguments of the script. */
  args: v.optional(v.array(v.string())),
  /** Options of the recorder, such as `--every 20`; those of the settings if there are none. */
  options: v.optional(v.array(v.string())),
  /** Interpreter, if not the one chosen for the folder. */
  python: v.optional(v.string()),
});
type RecordingDefinition = vscode.TaskDefinition & v.InferOutput<typeof recordingDefinition>;

/** The source of tasks that are in no file. */
const TASK_SOURCE = 'Leakline';

export class RecordingTasks {
  /** @param recorder path of the script that runs another one under the recorder */
  constructor(
    readonly recorder: string,
    readonly interpreters: Interpreters,
  ) {}

  /** Offers the active Python file. */
  async provideTasks(): Promise<vscode.Task[]> {
    const document = vscode.window.activeTextEditor?.document;
    return document?.languageId === 'python' && document.uri.scheme === 'file'
      ? [await this.make(this.plainDefinition(document.uri), document.uri)]
      : [];
  }

  async resolveTask(task: vscode.Task): Promise<vscode.Task | undefined> {
    const { definition, scope } = task;
    if (!isRecording(definition)) return undefined;
    const folder = typeof scope === 'object' ? scope : vscode.workspace.workspaceFolders?.[0];
    const at = folder === undefined ? vscode.Uri.file(definition.program) : vscode.Uri.joinPath(folder.uri, 'x.py');
    return await this.make(definition, at, folder, task.name);
  }

  /**
   * The task for a script: from `tasks.json`, with its arguments, if it is there.
   * @param args if it is not
   * @param onCpu true to record over the model of the allocator, if no option names a device
   */
  async taskFor(script: vscode.Uri, args: readonly string[], onCpu = false): Promise<vscode.Task> {
    const folder = vscode.workspace.getWorkspaceFolder(script);
    const tasks = await vscode.tasks.fetchTasks({ type: RECORDING_TASK_TYPE });
    const isOfScript = ({ program }: RecordingDefinition): boolean =>
      program === script.fsPath ||
      (folder !== undefined && vscode.Uri.joinPath(folder.uri, program).fsPath === script.fsPath);
    const configured = tasks
      .filter(({ source }) => source !== TASK_SOURCE)
      .map(({ definition }) => definition)
      .filter(isRecording)
      .find(isOfScript);
    const plain = { ...this.plainDefinition(script), ...(args.length > 0 && { args: [...args] }) };
    const definition = configured ?? plain;
    const options = definition.options ?? recorderOptions(script);
    const isOpen = onCpu && !options.some((option) => option.startsWith('--device'));
    return await this.make(isOpen ? { ...definition, options: ['--device', 'cpu', ...options] } : definition, script);
  }

  private plainDefinition(script: vscode.Uri): RecordingDefinition {
    const isInFolder = vscode.workspace.getWorkspaceFolder(script) !== undefined;
    const program = isInFolder ? vscode.workspace.asRelativePath(script, false) : script.fsPath;
    return { type: RECORDING_TASK_TYPE, program };
  }

  private async make(
    definition: RecordingDefinition,
    script: vscode.Uri,
    folder = vscode.workspace.getWorkspaceFolder(script),
    name = vscode.l10n.t('record {0}', definition.program),
  ): Promise<vscode.Task> {
    const python = definition.python ?? (await this.interpreters.of(script));
    // A process, not a shell: no path or argument is ever read as a command.
    const execution = new vscode.ProcessExecution(
      python,
      [
        this.recorder,
        ...(definition.options ?? recorderOptions(script)),
        definition.program,
        ...(definition.args ?? []),
      ],
      folder === undefined ? {} : { cwd: folder.uri.fsPath },
    );
    const task = new vscode.Task(definition, folder ?? vscode.TaskScope.Workspace, name, TASK_SOURCE, execution, []);
    task.presentationOptions = { reveal: vscode.TaskRevealKind.Always, panel: vscode.TaskPanelKind.Dedicated };
    return task;
  }
}

function isRecording(definition: vscode.TaskDefinition): definition is RecordingDefinition {
  return v.is(recordingDefinition, definition);
}

/** Offers the active file under the Python debugger and the recorder together, in the list of configurations. */
export function recordingDebugConfigurations(): vscode.DebugConfiguration[] {
  return [
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
  ];
}
