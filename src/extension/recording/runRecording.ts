import { execFile } from 'node:child_process';
import * as vscode from 'vscode';
import type { RecordingTasks } from './recordingTask.js';

/** Time limit for finding a module on a slow disk. */
const LOOKUP_MS = 30_000;
const FIND_TORCH = 'import importlib.util, sys; sys.exit(0 if importlib.util.find_spec("torch") else 3)';
const NO_TORCH = 3;

/** @param target a file of the explorer or an editor, null for the active editor or a choice @throws Error */
export async function runWithRecording(tasks: RecordingTasks, target: vscode.Uri | null): Promise<void> {
  const uri = target ?? (await pickPythonFile());
  if (uri !== undefined) await runRecording(tasks, uri);
}

/**
 * Runs a Python file under the recorder, in a terminal.
 * @param args of the program where `tasks.json` has none
 * @returns its exit code at the end, null if it was not started
 * @throws Error with a message for users
 */
export async function runRecording(
  tasks: RecordingTasks,
  program: vscode.Uri,
  args: readonly string[] = [],
): Promise<number | null> {
  if (!vscode.workspace.isTrusted) {
    throw new Error(vscode.l10n.t('Leakline runs no code of an untrusted workspace. Trust it first.'));
  }
  // The program may import any of them.
  const isSaved = await Promise.all(
    vscode.workspace.textDocuments
      .filter(({ isDirty, languageId, uri }) => isDirty && languageId === 'python' && uri.scheme === 'file')
      .map((document) => document.save()),
  );
  if (isSaved.includes(false)) return null;
  const task = await tasks.taskFor(program, args);
  const python = task.execution instanceof vscode.ProcessExecution ? task.execution.process : '';
  if (!(await hasTorch(python, program))) return null;
  const execution = await vscode.tasks.executeTask(task);
  return await new Promise<number>((resolve) => {
    const subscription = vscode.tasks.onDidEndTaskProcess((event) => {
      if (event.execution !== execution) return;
      subscription.dispose();
      resolve(event.exitCode ?? 0);
    });
  });
}

/** False if the interpreter cannot run a training, after a message with the remedy. */
async function hasTorch(python: string, program: vscode.Uri): Promise<boolean> {
  const cwd = vscode.workspace.getWorkspaceFolder(program)?.uri.fsPath;
  const options = { timeout: LOOKUP_MS, env: terminalEnvironment(), ...(cwd === undefined ? {} : { cwd }) };
  const code = await new Promise<unknown>((resolve) => {
    execFile(python, ['-c', FIND_TORCH], options, (error) => resolve(error === null ? 0 : error.code));
  });
  if (code !== NO_TORCH && code !== 'ENOENT') return true;
  const select = vscode.l10n.t('Select Interpreter');
  const sentence =
    code === NO_TORCH
      ? vscode.l10n.t('{0} has no PyTorch: select the interpreter of the training, or install torch there.', python)
      : vscode.l10n.t('Python interpreter {0} not found: select the one of the training.', python);
  void vscode.window.showErrorMessage(sentence, select).then(async (choice) => {
    if (choice !== select) return;
    const hasPython = (await vscode.commands.getCommands(true)).includes('python.setInterpreter');
    await (hasPython
      ? vscode.commands.executeCommand('python.setInterpreter')
      : vscode.commands.executeCommand('workbench.action.openSettings', 'python.defaultInterpreterPath'));
  });
  return false;
}

/** The environment of a terminal, whose settings may contain the path of torch. */
function terminalEnvironment(): NodeJS.ProcessEnv {
  const system = { darwin: 'osx', win32: 'windows' }[process.platform as string] ?? 'linux';
  const own = vscode.workspace
    .getConfiguration('terminal.integrated.env')
    .get<Record<string, string | null>>(system, {});
  // VS Code removes variables that are null.
  return Object.fromEntries(
    Object.entries({ ...process.env, ...own }).map(([name, value]) => [name, value ?? undefined]),
  );
}

/** Maximum of files in the quick pick. */
const MAX_FILES = 500;
const LEFT_OUT = '**/{node_modules,site-packages,.venv,venv,env,__pycache__}/**';

/**
 * The file to run: the active editor's, else one that the user selects. @returns undefined if cancelled or without a
 * file
 */
async function pickPythonFile(): Promise<vscode.Uri | undefined> {
  const document = vscode.window.activeTextEditor?.document;
  if (document?.languageId === 'python' && document.uri.scheme === 'file') return document.uri;
  const files = await vscode.workspace.findFiles('**/*.py', LEFT_OUT, MAX_FILES);
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
  const title = vscode.l10n.t('Run Python File with Recording');
  const placeHolder = vscode.l10n.t('Which file trains?');
  return (await vscode.window.showQuickPick(items, { title, placeHolder }))?.uri;
}
