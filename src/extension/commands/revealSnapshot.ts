import * as vscode from 'vscode';

/** Shows a file in the Explorer view, or in the system's file manager if it lies outside of the workspace. */
export async function revealSnapshot(path: string): Promise<void> {
  const uri = vscode.Uri.file(path);
  const isInside = vscode.workspace.getWorkspaceFolder(uri) !== undefined;
  await vscode.commands.executeCommand(isInside ? 'revealInExplorer' : 'revealFileInOS', uri);
}
