import * as vscode from 'vscode';

/** A folder as people name it: relative to the workspace, the name of the workspace folder that it is, or its end. */
export function folderName(path: string): string {
  const folder = vscode.workspace.workspaceFolders?.find(({ uri }) => uri.fsPath === path);
  if (folder !== undefined) return folder.name;
  const relative = vscode.workspace.asRelativePath(path);
  return relative === path ? path.split(/[/\\]/).slice(-2).join('/') : relative;
}
