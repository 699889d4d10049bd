import * as vscode from 'vscode';
import { neighbourMark } from '../results/lineMarks.js';
import type { ResultsStore } from '../results/resultsStore.js';
import { openSource, type SourcePlace } from '../workspace/openSource.js';
import type { PythonFiles } from '../workspace/pythonFiles.js';

/** Goes to the marked line after or before the cursor, through all files and round at the end. */
export async function goToLeak(store: ResultsStore, files: PythonFiles, direction: 1 | -1): Promise<void> {
  const places: readonly SourcePlace[] =
    store.comparison === null
      ? store.marks.filter(({ mapped, tone }) => mapped && tone !== 'filling')
      : store.comparison.lines.filter(({ mapped }) => mapped);
  const editor = vscode.window.activeTextEditor;
  const at =
    editor === undefined ? null : { file: files.path(editor.document.uri), line: editor.selection.active.line + 1 };
  const next = neighbourMark(places, at, direction);
  if (next === undefined) throw new Error(vscode.l10n.t('No line of this workspace is marked.'));
  await openSource(files, next);
}
