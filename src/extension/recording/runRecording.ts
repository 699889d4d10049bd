import { execFile } from 'node:child_process';
import * as vscode from 'vscode';
import type { RecordingTasks } from './recordingTask.js';

/** Looking for a module takes a moment; a slow disk takes longer. */
const LOOKUP_MS = 30_000;
const FIND_TORCH = 'import importlib.util, sys; sys.exit(0 if importlib.util.find_spec("torch") else 3)';
const NO_TORCH = 3;

/**
 * Runs a Python file under the recorder, in a terminal. Snapshots appear in the workspace folder, where they are found.
 * @returns its exit code once it has ended, null if it was not started
 * @throws Error with one sentence
 */
export async function runRecording(tasks: RecordingTasks, program: vscode.Uri): Promise<number | null> {
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
  const task = await tasks.taskFor(program);
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

/** False if the interpreter cannot run a training, which is said, with what helps. */
async function hasTorch(python: string, program: vscode.Uri): Promise<boolean> {
  const cwd = vscode.workspace.getWorkspaceFolder(program)?.uri.fsPath;
  const options = { timeout: LOOKUP_MS, env: terminalEnvironment(), ...(cwd === undefined ? {} : { cwd }) };
  const code = await new Promise<unknown>((resolve) => {
    execFile(python, ['-c', FIND_TORCH], options, (error) => {
      resolve(error === null ? 0 : error.code);
    });
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

/** The program runs in a terminal, whose settings may say where torch is. */
function terminalEnvironment(): NodeJS.ProcessEnv {
  const system = { darwin: 'osx', win32: 'windows' }[process.platform as string] ?? 'linux';
  const own = vscode.workspace
    .getConfiguration('terminal.integrated.env')
    .get<Record<string, string | null>>(system, {});
  // A variable that is null is left out.
  return Object.fromEntries(
    Object.entries({ ...process.env, ...own }).map(([name, value]) => [name, value ?? undefined]),
  );
}
