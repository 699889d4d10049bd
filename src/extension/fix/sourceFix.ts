import * as vscode from 'vscode';
import type { SourceEdit } from '../../core/report/report.js';
import { findLine, type TextLines } from '../marks/trackedLine.js';
import type { PythonFiles } from '../workspace/pythonFiles.js';

/**
 * The edit of a fix for a text as it is now. The lines that the fix was made for must still say what they said, together
 * and in their order, though they may stand further up or down.
 * @returns how many lines further down they stand, null if they are not there
 */
export function fixOffset(edit: SourceEdit, text: TextLines): number | null {
  const [first] = edit.lines;
  if (edit.lines.length === 0) return null;
  const found = findLine(text, first.line, first.text);
  if (found === null) return null;
  const offset = found - first.line;
  const holds = edit.lines.every(({ line, text: expected }) => {
    const at = line + offset;
    return at >= 0 && at < text.lineCount && text.lineAt(at).text === expected;
  });
  return holds ? offset : null;
}

/**
 * A fix as an edit of the workspace.
 * @throws Error with one sentence if the source is not what the fix was made for
 */
export async function workspaceEdit(edit: SourceEdit, files: PythonFiles): Promise<vscode.WorkspaceEdit> {
  const uri = files.uri(edit.file);
  if (uri === undefined) {
    throw new Error(vscode.l10n.t('{0} is not a file of this workspace; map its folder.', edit.file));
  }
  const document = await vscode.workspace.openTextDocument(uri);
  const offset = fixOffset(edit, document);
  if (offset === null) {
    throw new Error(
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
