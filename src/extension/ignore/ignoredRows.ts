import * as vscode from 'vscode';

const SCHEME = 'leakline-ignored';

/** Grays the rows of ignored leaks. A row is colored through an address, and this is theirs. */
export class IgnoredRows implements vscode.FileDecorationProvider {
  provideFileDecoration(uri: vscode.Uri): vscode.FileDecoration | undefined {
    if (uri.scheme !== SCHEME) return undefined;
    return new vscode.FileDecoration(undefined, undefined, new vscode.ThemeColor('disabledForeground'));
  }
}

/** @param row the row's id */
export function ignoredRowUri(row: string): vscode.Uri {
  return vscode.Uri.from({ scheme: SCHEME, path: `/${row}` });
}
