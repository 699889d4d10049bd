/** A Python program that runs under the recorder, as a task of VS Code: with a terminal, a way to stop it and to repeat it. */
import * as v from 'valibot';
import * as vscode from 'vscode';
import { Command, RECORDING_TASK_TYPE } from '../contributions.js';
import { recorderOptions } from '../settings.js';

/** The properties of a task of this type in `tasks.json`. */
interface RecordingDefinition extends vscode.TaskDefinition {
  /** Path of the script; relative to the workspace folder or absolute. */
  program: string;
  /** Arguments of the script. */
  args?: string[];
  /** Options of the recorder, such as `--every 20`; those of the settings if there are none. */
  options?: string[];
  /** Interpreter, if not the one chosen for the folder. */
  python?: string;
}

/** The source of tasks that are in no file. */
const TASK_SOURCE = 'Leakline';

export class RecordingTasks {
  /** @param recorder path of the script that runs another one under the recorder */
  constructor(readonly recorder: string) {}

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

  /** The task for a script: from `tasks.json`, with its arguments, if it is there. @param args if it is not */
  async taskFor(script: vscode.Uri, args: readonly string[]): Promise<vscode.Task> {
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
    return await this.make(configured ?? plain, script);
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
    const python = definition.python ?? (await pythonInterpreter(script));
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

const recordingDefinition = v.object({
  program: v.string(),
  args: v.optional(v.array(v.string())),
  options: v.optional(v.array(v.string())),
  python: v.optional(v.string()),
});

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

/** The used part of the Python extension's API: `environments` of version 1. */
interface PythonApi {
  environments: {
    getActiveEnvironmentPath(resource?: vscode.Uri): { path: string };
    resolveEnvironment(environment: {
      path: string;
    }): Promise<{ executable: { uri: vscode.Uri | undefined } } | undefined>;
  };
}

/** Where virtual environments usually are, relative to a workspace folder. */
const ENVIRONMENTS = ['.venv', 'venv', '.env', 'env'];

/** Path or name of an interpreter: the Python extension's choice, its setting, a virtual environment, the system's. */
async function pythonInterpreter(script: vscode.Uri): Promise<string> {
  return (await chosen(script)) ?? configured(script) ?? (await environmentBeside(script)) ?? systemPython();
}

async function chosen(script: vscode.Uri): Promise<string | null> {
  const extension = vscode.extensions.getExtension<Partial<PythonApi> | undefined>('ms-python.python');
  if (extension === undefined) return null;
  try {
    const environments = (await extension.activate())?.environments;
    if (environments === undefined) return null;
    const active = environments.getActiveEnvironmentPath(script);
    return (await environments.resolveEnvironment(active))?.executable.uri?.fsPath ?? null;
  } catch {
    // An error of the Python extension: try the next source of an interpreter.
    return null;
  }
}

function configured(script: vscode.Uri): string | null {
  const path = vscode.workspace.getConfiguration('python', script).get<unknown>('defaultInterpreterPath');
  // `python` is only the setting's default. Only the Python extension can resolve variables.
  return typeof path === 'string' && path !== '' && path !== 'python' && !path.includes('${') ? path : null;
}

async function environmentBeside(script: vscode.Uri): Promise<string | null> {
  const folder = vscode.workspace.getWorkspaceFolder(script);
  if (folder === undefined) return null;
  for (const name of ENVIRONMENTS) {
    const python = process.platform === 'win32' ? [name, 'Scripts', 'python.exe'] : [name, 'bin', 'python'];
    const uri = vscode.Uri.joinPath(folder.uri, ...python);
    try {
      await vscode.workspace.fs.stat(uri);
      return uri.fsPath;
    } catch {
      continue;
    }
  }
  return null;
}

function systemPython(): string {
  return process.platform === 'win32' ? 'python' : 'python3';
}
