import * as vscode from 'vscode';

/** A folder's name for users: relative to the workspace, the workspace folder's name, or its last part. */
export function folderName(path: string): string {
  const folder = vscode.workspace.workspaceFolders?.find(({ uri }) => uri.fsPath === path);
  if (folder !== undefined) return folder.name;
  const relative = vscode.workspace.asRelativePath(path);
  return relative === path ? path.split(/[/\\]/).slice(-2).join('/') : relative;
}
