/** Names that reports give files: relative to their folder, with the folder in front if the workspace has several. */
import * as vscode from 'vscode';
import { distinctNames } from '../text/distinctNames.js';

/**
 * The prefix of a folder's files: its name, with as many parent folders as distinguish it; empty for a single folder.
 */
export function folderPrefix({ name, uri }: vscode.WorkspaceFolder): string {
  const folders = vscode.workspace.workspaceFolders ?? [];
  if (folders.length < 2) return '';
  const alike = new Set(folders.filter((one) => one.name === name).map((one) => one.uri.path));
  const distinct = alike.size < 2 ? name : distinctNames(alike, () => name).get(uri.path);
  return `${(distinct ?? name).replace(/^\//, '')}/`;
}

/** The name of a file; its path outside of the workspace. */
export function reportPath(uri: vscode.Uri): string {
  const folder = vscode.workspace.getWorkspaceFolder(uri);
  const below = vscode.workspace.asRelativePath(uri, false).split('\\').join('/');
  return folder === undefined ? below : folderPrefix(folder) + below;
}
