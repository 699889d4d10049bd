import { setTimeout as delay } from 'node:timers/promises';
import * as vscode from 'vscode';
import type { RecordingTasks } from './recordingTask.js';

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
  const prepared = await prepareRecording(tasks, program, args);
  if (typeof prepared !== 'object') {
    if (prepared !== 'unsaved') await offerInterpreters(tasks, program, prepared);
    return null;
  }
  return prepared.run();
}

/** A recording that can begin. */
export interface PreparedRecording {
  /** @returns the exit code at the end */
  run(): Promise<number>;
}

/**
 * Checks that a program can run under the recorder, before anything is changed for it. Without a GPU, it runs over the
 * model of the allocator.
 * @returns what is missing, if something is
 * @throws Error with a message for users
 */
export async function prepareRecording(
  tasks: RecordingTasks,
  program: vscode.Uri,
  args: readonly string[] = [],
): Promise<PreparedRecording | 'noTorch' | 'missing' | 'unsaved'> {
  if (!vscode.workspace.isTrusted) {
    throw new Error(vscode.l10n.t('Leakline runs no code of an untrusted workspace. Trust it first.'));
  }
  const plain = await tasks.taskFor(program, args);
  const ability = await tasks.interpreters.abilityOf(pythonOf(plain), program);
  if (ability === 'noTorch' || ability === 'missing') return ability;
  if (!(await saveSources())) return 'unsaved';
  const task = await tasks.taskFor(program, args, ability === 'cpu');
  return { run: () => run(task) };
}

async function run(task: vscode.Task): Promise<number> {
  if (!(await saveSources())) throw new Error(vscode.l10n.t('A source file could not be saved.'));
  const execution = await vscode.tasks.executeTask(task);
  return await new Promise<number>((resolve) => {
    const subscription = vscode.tasks.onDidEndTaskProcess((event) => {
      if (event.execution !== execution) return;
      subscription.dispose();
      resolve(event.exitCode ?? 0);
    });
  });
}

/** Maximum time until the snapshots of a recording have been read, and between two looks for them, in milliseconds. */
const MAX_READ_MS = 60_000;
const LOOK_MS = 200;

/** Waits for snapshots of a recording. @param look null as long as they are not read @returns null if they are not in time */
export async function untilFound<Found>(look: () => Promise<Found | null> | Found | null): Promise<Found | null> {
  for (const end = Date.now() + MAX_READ_MS; ;) {
    const found = await look();
    if (found !== null || Date.now() > end) return found;
    await delay(LOOK_MS);
  }
}

/** The program may import any of them. */
async function saveSources(): Promise<boolean> {
  const isSaved = await Promise.all(
    vscode.workspace.textDocuments
      .filter(({ isDirty, languageId, uri }) => isDirty && languageId === 'python' && uri.scheme === 'file')
      .map((document) => document.save()),
  );
  return !isSaved.includes(false);
}

function pythonOf({ execution }: vscode.Task): string {
  return execution instanceof vscode.ProcessExecution ? execution.process : '';
}

/**
 * Says what the interpreter lacks.
 * @param other another way that the user can choose
 * @returns true if the user chooses that way
 */
export async function offerInterpreters(
  tasks: RecordingTasks,
  program: vscode.Uri,
  missing: 'noTorch' | 'missing',
  other: string | null = null,
): Promise<boolean> {
  const python = pythonOf(await tasks.taskFor(program, []));
  const select = vscode.l10n.t('Select Interpreter');
  const sentence =
    missing === 'noTorch'
      ? vscode.l10n.t('{0} has no PyTorch: select the interpreter of the training, or install torch there.', python)
      : vscode.l10n.t('Python interpreter {0} not found: select the one of the training.', python);
  const choice = await vscode.window.showErrorMessage(sentence, ...(other === null ? [] : [other]), select);
  if (choice === select) await tasks.interpreters.choose(program);
  return choice !== undefined && choice === other;
}

/** Maximum number of files in the quick pick. */
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
