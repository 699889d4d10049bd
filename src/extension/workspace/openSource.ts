import * as v from 'valibot';
import * as vscode from 'vscode';
import { integer } from '../../protocol/schema.js';
import type { MarkedLines } from '../marks/markedLines.js';
import { CELL_SCHEME } from '../notebooks/notebookCells.js';
import type { PythonFiles } from './pythonFiles.js';

const sourcePlace = v.pipe(v.object({ file: v.string(), line: integer(1) }), v.readonly());

/** A line of a file by the name that reports give it. Lines count from 1. */
export type SourcePlace = v.InferOutput<typeof sourcePlace>;

export function isSourcePlace(value: unknown): value is SourcePlace {
  return v.is(sourcePlace, value);
}

/**
 * Opens a workspace file or notebook at the current place of a recorded line. Only files that the workspace lists can
 * be opened.
 * @throws Error if the workspace has no such file
 */
export async function openSource(
  files: PythonFiles,
  lines: MarkedLines,
  { file, line }: SourcePlace,
  options: { viewColumn?: vscode.ViewColumn; preserveFocus?: boolean } = {},
): Promise<void> {
  const uri = files.uri(file);
  if (uri === undefined) throw new Error(vscode.l10n.t('{0} is not a file of this workspace; map its folder.', file));
  const document = await vscode.workspace.openTextDocument(uri);
  const now = lines.place(document, line)?.line ?? document.lineCount;
  const at = new vscode.Position(now - 1, 0);
  const column = document.lineAt(at).firstNonWhitespaceCharacterIndex;
  const selection = new vscode.Range(at.line, column, at.line, column);
  if (uri.scheme === CELL_SCHEME) {
    // The notebook's own editor: it alone knows how to bring a cell into view.
    await vscode.commands.executeCommand('vscode.open', uri, { ...options, selection });
    return;
  }
  const editor = await vscode.window.showTextDocument(document, { ...options, selection });
  editor.revealRange(new vscode.Range(at, at), vscode.TextEditorRevealType.InCenterIfOutsideViewport);
}
