import * as vscode from 'vscode';

/** A folder as people name it: relative to the workspace, or the name of the workspace folder that it is. */
export function folderName(path: string): string {
  const folder = vscode.workspace.workspaceFolders?.find(({ uri }) => uri.fsPath === path);
  return folder === undefined ? vscode.workspace.asRelativePath(path) : folder.name;
}
