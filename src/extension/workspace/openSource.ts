import * as vscode from 'vscode';
import type { MarkedLines } from '../marks/markedLines.js';
import type { PythonFiles } from './pythonFiles.js';

/** A line of a file by the name that reports give it. */
export interface SourcePlace {
  readonly file: string;
  /** 1-based. */
  readonly line: number;
}

export function isSourcePlace(value: unknown): value is SourcePlace {
  if (typeof value !== 'object' || value === null) return false;
  const { file, line } = value as Record<string, unknown>;
  return typeof file === 'string' && typeof line === 'number' && Number.isSafeInteger(line) && line >= 1;
}

/**
 * Opens a workspace file at a recorded line, wherever edits have moved it. Nothing but files of the workspace's own listing can be opened.
 * @throws Error with one sentence if the workspace has no such file
 */
export async function openSource(
  files: PythonFiles,
  lines: MarkedLines,
  { file, line }: SourcePlace,
  options: { viewColumn?: vscode.ViewColumn; preserveFocus?: boolean } = {},
): Promise<vscode.TextEditor> {
  const uri = files.uri(file);
  if (uri === undefined) throw new Error(vscode.l10n.t('{0} is not a file of this workspace; map its folder.', file));
  const document = await vscode.workspace.openTextDocument(uri);
  const now = lines.place(document, line)?.line ?? document.lineCount;
  const at = new vscode.Position(now - 1, 0);
  const column = document.lineAt(at).firstNonWhitespaceCharacterIndex;
  const editor = await vscode.window.showTextDocument(document, {
    ...options,
    selection: new vscode.Range(at.line, column, at.line, column),
  });
  editor.revealRange(new vscode.Range(at, at), vscode.TextEditorRevealType.InCenterIfOutsideViewport);
  return editor;
}
