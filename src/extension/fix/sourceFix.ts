import * as vscode from 'vscode';
import type { SourceEdit } from '../../core/report/report.js';
import { fixOffset } from '../marks/trackedLine.js';
import type { PythonFiles } from '../workspace/pythonFiles.js';

/** Why a fix cannot be made, in one sentence. */
export class SourceFixError extends Error {
  override readonly name = 'SourceFixError';
}

/** A fix as an edit of the workspace. @throws SourceFixError if the source differs */
export async function workspaceEdit(edit: SourceEdit, files: PythonFiles): Promise<vscode.WorkspaceEdit> {
  const uri = files.uri(edit.file);
  if (uri === undefined) {
    throw new SourceFixError(vscode.l10n.t('{0} is not a file of this workspace; map its folder.', edit.file));
  }
  const document = await vscode.workspace.openTextDocument(uri);
  const offset = fixOffset(edit, document);
  if (offset === null) {
    throw new SourceFixError(
      vscode.l10n.t('{0} has changed since the snapshots: the fix "{1}" no longer applies.', edit.file, edit.title),
    );
  }
  const change = new vscode.WorkspaceEdit();
  for (const { startLine, startColumn, endLine, endColumn, newText } of edit.changes) {
    const range = new vscode.Range(startLine + offset, startColumn, endLine + offset, endColumn);
    change.replace(uri, range, newText);
  }
  return change;
}
