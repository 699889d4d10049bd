import * as vscode from 'vscode';
import { workspaceEdit } from '../fix/sourceFix.js';
import type { IgnoreFiles } from '../ignore/ignoreFiles.js';
import type { EditorMarks } from '../marks/editorMarks.js';
import type { LineMark } from '../results/lineMarks.js';
import type { ResultsStore } from '../results/resultsStore.js';
import { isSourcePlace } from '../workspace/openSource.js';
import type { PythonFiles } from '../workspace/pythonFiles.js';

/**
 * Writes a leak into the ignore file: that of a row, a lens or an action, else that under the cursor.
 * @throws Error with one sentence
 */
export async function ignoreLeak(
  store: ResultsStore,
  marks: EditorMarks,
  files: PythonFiles,
  ignored: IgnoreFiles,
  place: unknown,
): Promise<void> {
  const mark = isSourcePlace(place) ? markAt(store.marks, place) : markAtCursor(marks);
  const uri = mark?.mapped === true ? files.uri(mark.file) : undefined;
  if (mark === undefined || uri === undefined) throw new Error(vscode.l10n.t('Run this command on a marked line.'));
  const document = await vscode.workspace.openTextDocument(uri);
  const text = document.lineAt((marks.placeOf(document, mark.line)?.line ?? mark.line) - 1).text;
  for (const { line } of mark.parts) await ignored.add(line, text);
}

/** @throws Error with one sentence */
export async function stopIgnoring(store: ResultsStore, ignored: IgnoreFiles, place: unknown): Promise<void> {
  const mark = isSourcePlace(place) ? markAt(store.ignoredMarks, place) : undefined;
  if (mark === undefined) throw new Error(vscode.l10n.t('Run this command on an ignored leak in the Leaks view.'));
  await ignored.remove(mark.parts.map(({ line }) => line));
}

/**
 * Changes the source as the fix of a leak says, and shows where. The file is not saved, and undo takes it back.
 * @throws Error with one sentence if the source is not what the fix was made for
 */
export async function fixLeak(store: ResultsStore, files: PythonFiles, place: unknown): Promise<void> {
  const mark = isSourcePlace(place) ? markAt(store.marks, place) : undefined;
  const edit = mark?.parts[0].line.holder?.edit ?? null;
  if (edit === null) throw new Error(vscode.l10n.t('There is no fix for this line any more.'));
  const change = await workspaceEdit(edit, files);
  if (!(await vscode.workspace.applyEdit(change))) throw new Error(vscode.l10n.t('The fix could not be applied.'));
  const [[uri, [first]]] = change.entries();
  const editor = await vscode.window.showTextDocument(uri);
  editor.revealRange(first.range, vscode.TextEditorRevealType.InCenterIfOutsideViewport);
}

function markAt(marks: readonly LineMark[], place: { file: string; line: number }): LineMark | undefined {
  return marks.find(({ file, line }) => file === place.file && line === place.line);
}

function markAtCursor(marks: EditorMarks): LineMark | undefined {
  const editor = vscode.window.activeTextEditor;
  if (editor === undefined) return undefined;
  const here = editor.selection.active.line + 1;
  return marks.leaksIn(editor.document).find(({ place }) => place.line === here)?.said;
}
