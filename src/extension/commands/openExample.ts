import * as vscode from 'vscode';

/**
 * Opens a fresh copy of the example, a training program with a leak and its recording, in place of an empty window or
 * in one of its own.
 */
export async function openExample({ extensionUri, globalStorageUri }: vscode.ExtensionContext): Promise<void> {
  const copy = vscode.Uri.joinPath(globalStorageUri, 'detector');
  await vscode.workspace.fs.copy(vscode.Uri.joinPath(extensionUri, 'examples', 'detector'), copy, { overwrite: true });
  await vscode.commands.executeCommand('vscode.openFolder', copy, {
    forceNewWindow: vscode.workspace.workspaceFolders !== undefined,
  });
}
