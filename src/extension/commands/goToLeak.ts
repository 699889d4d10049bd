import * as vscode from 'vscode';
import type { MarkedLines } from '../marks/markedLines.js';
import { neighbourMark } from '../results/lineMarks.js';
import type { ResultsStore } from '../results/resultsStore.js';
import { openSource, type SourcePlace } from '../workspace/openSource.js';
import type { PythonFiles } from '../workspace/pythonFiles.js';

/** Goes to the marked line after or before the cursor, through all files and round at the end; without a cursor, to the worst. */
export async function goToLeak(
  store: ResultsStore,
  files: PythonFiles,
  lines: MarkedLines,
  direction: 1 | -1,
): Promise<void> {
  const places: readonly SourcePlace[] =
    store.comparison === null
      ? store.marks.filter(({ mapped, tone }) => mapped && tone !== 'growing')
      : store.comparison.lines.filter(({ mapped }) => mapped);
  const editor = vscode.window.activeTextEditor;
  const at =
    editor === undefined ? null : { file: files.path(editor.document.uri), line: editor.selection.active.line + 1 };
  // In the file that is being edited, marks are where their lines are now.
  const moved = places.map(({ file, line }) => ({
    file,
    line: editor !== undefined && file === at?.file ? (lines.place(editor.document, line)?.line ?? line) : line,
    recorded: { file, line },
  }));
  const next = neighbourMark(moved, at, direction);
  if (next === undefined) throw new Error(vscode.l10n.t('No line of this workspace is marked.'));
  await openSource(files, lines, next.recorded);
}
