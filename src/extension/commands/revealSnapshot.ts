import * as vscode from 'vscode';

/**
 * Shows a file in the Explorer view, or if it lies outside of the workspace, in the system's file manager. Where files are
 * on another machine than the window there is none: it is said where the file lies.
 */
export async function revealSnapshot(path: string): Promise<void> {
  const uri = vscode.Uri.file(path);
  if (vscode.workspace.getWorkspaceFolder(uri) !== undefined) {
    await vscode.commands.executeCommand('revealInExplorer', uri);
  } else if (vscode.env.remoteName === undefined && vscode.env.uiKind === vscode.UIKind.Desktop) {
    await vscode.commands.executeCommand('revealFileInOS', uri);
  } else {
    const copy = vscode.l10n.t('Copy Path');
    const told = vscode.window.showInformationMessage(vscode.l10n.t('{0} is not in this workspace.', path), copy);
    void told.then(async (choice) => {
      if (choice === copy) await vscode.env.clipboard.writeText(path);
    });
  }
}
