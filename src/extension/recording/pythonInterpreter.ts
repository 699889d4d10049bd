/** The Python interpreter of a training: the one that the user selected for the folder. */
import * as vscode from 'vscode';

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
export async function pythonInterpreter(script: vscode.Uri): Promise<string> {
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
