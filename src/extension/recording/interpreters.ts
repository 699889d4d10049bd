/** Which Python runs a program: that of the Python extension, of the settings, of the user's choice, or a virtual environment. */
import { execFile } from 'node:child_process';
import { readdir, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import * as vscode from 'vscode';

/** What an interpreter can record. */
export type Ability =
  | 'gpu'
  /** The interpreter has PyTorch, but the machine has no GPU. */
  | 'cpu'
  | 'noTorch'
  | 'missing';

/** Time limit for finding a module on a slow disk. */
const LOOKUP_MS = 30_000;
/** The folder of the recorder is its argument. */
const PROBE = `
import importlib.util, sys
if importlib.util.find_spec("torch") is None: sys.exit(3)
sys.path.insert(0, sys.argv[1])
from leakline_recorder.gpus import any_gpu
sys.exit(0 if any_gpu() else 4)
`;
const ABILITIES: Readonly<Record<string, Ability>> = { 3: 'noTorch', 4: 'cpu', ENOENT: 'missing' };

/** Folders of environments by the tools that make them, below the home folder. */
const SHARED_ENVIRONMENTS = [
  'miniconda3/envs',
  'anaconda3/envs',
  'miniforge3/envs',
  '.conda/envs',
  '.virtualenvs',
  '.pyenv/versions',
];
const MAX_OFFERED = 30;

export class Interpreters {
  /** @param recorder path of the recorder's script @param choices the user's choices, by folder */
  constructor(
    private readonly recorder: string,
    private readonly choices: vscode.Memento,
  ) {}

  /** Path or name of the interpreter for a script. */
  async of(script: vscode.Uri): Promise<string> {
    const own = this.choices.get<string>(keyOf(script));
    return (await chosen(script)) ?? configured(script) ?? own ?? (await environmentBeside(script)) ?? systemPython();
  }

  async abilityOf(python: string, script: vscode.Uri): Promise<Ability> {
    const cwd = vscode.workspace.getWorkspaceFolder(script)?.uri.fsPath;
    const env = terminalEnvironment();
    const options = { timeout: LOOKUP_MS, env, ...(cwd === undefined ? {} : { cwd }) };
    const code = await new Promise<unknown>((resolve) => {
      execFile(python, ['-c', PROBE, dirname(dirname(this.recorder))], options, (error) => {
        resolve(error === null ? 0 : error.code);
      });
    });
    const ability = ABILITIES[String(code)] ?? 'gpu';
    // The user has decided already.
    return ability === 'cpu' && env['LEAKLINE_DEVICE'] !== undefined ? 'gpu' : ability;
  }

  /** Lets the user choose among the interpreters of this machine. @returns false if cancelled */
  async choose(script: vscode.Uri): Promise<boolean> {
    if ((await vscode.commands.getCommands(true)).includes('python.setInterpreter')) {
      await vscode.commands.executeCommand('python.setInterpreter');
      return true;
    }
    const browse = vscode.l10n.t('Browse…');
    const pick = await vscode.window.showQuickPick(this.offered(script, browse), {
      title: vscode.l10n.t('Python interpreter of the training'),
      matchOnDescription: true,
    });
    let python = pick?.label;
    if (python === browse) python = (await vscode.window.showOpenDialog({ canSelectMany: false }))?.[0]?.fsPath;
    if (python === undefined) return false;
    await this.choices.update(keyOf(script), python);
    return true;
  }

  /** Rows for the interpreters, those with PyTorch first. */
  private async offered(script: vscode.Uri, browse: string): Promise<vscode.QuickPickItem[]> {
    const found = await Promise.all(
      (await candidates(script)).map(async (python) => ({ python, ability: await this.abilityOf(python, script) })),
    );
    const items = found
      .filter(({ ability }) => ability !== 'missing')
      .map(({ python, ability }) => ({
        label: python,
        description: ability === 'noTorch' ? vscode.l10n.t('without PyTorch') : vscode.l10n.t('with PyTorch'),
        rank: Number(ability === 'noTorch'),
      }))
      .sort((a, b) => a.rank - b.rank);
    return [...items, { label: browse }];
  }
}

function keyOf(script: vscode.Uri): string {
  return `interpreter:${vscode.workspace.getWorkspaceFolder(script)?.uri.toString() ?? ''}`;
}

/** Paths that may be interpreters. */
async function candidates(script: vscode.Uri): Promise<string[]> {
  const folders = (vscode.workspace.workspaceFolders ?? []).map(({ uri }) => uri.fsPath);
  const shared = await Promise.all(
    SHARED_ENVIRONMENTS.map(async (path) => {
      const folder = join(homedir(), path);
      const names = await readdir(folder).catch(() => []);
      return names.map((name) => join(folder, name));
    }),
  );
  const environments = [
    ...folders.flatMap((folder) => ENVIRONMENTS.map((name) => join(folder, name))),
    ...(process.env['CONDA_PREFIX'] === undefined ? [] : [process.env['CONDA_PREFIX']]),
    ...shared.flat(),
  ];
  const own = await environmentBeside(script);
  const all = [own, ...environments.map((folder) => join(folder, INSIDE)), systemPython(), 'python'];
  return [...new Set(all.filter((path) => path !== null))].slice(0, MAX_OFFERED);
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
/** The interpreter of an environment. */
const INSIDE = process.platform === 'win32' ? 'Scripts/python.exe' : 'bin/python';

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
    const { fsPath } = vscode.Uri.joinPath(folder.uri, name, INSIDE);
    if ((await stat(fsPath).catch(() => null)) !== null) return fsPath;
  }
  return null;
}

function systemPython(): string {
  return process.platform === 'win32' ? 'python' : 'python3';
}
