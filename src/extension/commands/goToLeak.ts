import * as vscode from 'vscode';
import type { EditorMarks } from '../marks/editorMarks.js';
import type { MarkedLines } from '../marks/markedLines.js';
import { neighbourMark } from '../results/lineMarks.js';
import type { ResultsStore } from '../results/resultsStore.js';
import { openSource, type SourcePlace } from '../workspace/openSource.js';
import type { PythonFiles } from '../workspace/pythonFiles.js';

/**
 * Goes to the statement of the finding after or before the cursor, through all files and round at the end; without a
 * cursor, to the worst. Findings that were edited since are passed over while others are left.
 */
export async function goToLeak(
  store: ResultsStore,
  files: PythonFiles,
  lines: MarkedLines,
  marks: EditorMarks,
  direction: 1 | -1,
): Promise<void> {
  const findings = store.findings.filter(({ mapped, tone }) => mapped && tone !== 'growing');
  const open = findings.filter((finding) => !marks.isFindingEdited(finding));
  const places: readonly SourcePlace[] =
    store.comparison !== null
      ? store.comparison.lines.filter(({ mapped }) => mapped)
      : open.length > 0
        ? open
        : findings;
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
