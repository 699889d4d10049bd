import * as vscode from 'vscode';
import type { FixPreview } from '../fix/fixPreview.js';
import type { IgnoreFiles } from '../ignore/ignoreFiles.js';
import type { EditorMarks } from '../marks/editorMarks.js';
import type { FindingMark } from '../results/findingMarks.js';
import type { ResultsStore } from '../results/resultsStore.js';
import { isSourcePlace, type SourcePlace } from '../workspace/openSource.js';
import type { PythonFiles } from '../workspace/pythonFiles.js';

/**
 * Writes a finding into the ignore file, each line that allocates: that of a row, a lens or an action, else that under
 * the cursor.
 * @throws Error with one sentence
 */
export async function ignoreLeak(
  store: ResultsStore,
  marks: EditorMarks,
  files: PythonFiles,
  ignored: IgnoreFiles,
  place: unknown,
): Promise<void> {
  const finding = isSourcePlace(place) ? findingAt(store.findings, place) : findingAtCursor(marks);
  const lines = (finding?.lines ?? []).filter(({ mapped }) => mapped);
  if (lines.length === 0) throw new Error(vscode.l10n.t('Run this command on a marked line.'));
  for (const mark of lines) {
    const uri = files.uri(mark.file);
    if (uri === undefined) continue;
    const document = await vscode.workspace.openTextDocument(uri);
    const text = document.lineAt((marks.placeOf(document, mark.line)?.line ?? mark.line) - 1).text;
    for (const { line } of mark.parts) await ignored.add(line, text);
  }
}

/** @throws Error with one sentence */
export async function stopIgnoring(store: ResultsStore, ignored: IgnoreFiles, place: unknown): Promise<void> {
  const finding = isSourcePlace(place) ? findingAt(store.ignoredFindings, place) : undefined;
  if (finding === undefined) throw new Error(vscode.l10n.t('Run this command on an ignored leak in the Leaks view.'));
  await ignored.remove(finding.lines.flatMap(({ parts }) => parts.map(({ line }) => line)));
}

/**
 * Shows what the fix of a leak changes: that of a row, a lens or an action, else that under the cursor.
 * @throws Error with one sentence if there is none, or the source is not what it was made for
 */
export async function fixLeak(
  store: ResultsStore,
  marks: EditorMarks,
  preview: FixPreview,
  place: unknown,
): Promise<void> {
  const finding = isSourcePlace(place) ? findingAt(store.findings, place) : findingAtCursor(marks);
  if (finding === undefined || !(await preview.show(finding))) {
    throw new Error(vscode.l10n.t('Leakline knows no fix for this line. Select another line of the finding.'));
  }
}

/**
 * The finding whose program is to run once more: the one named, else the worst leak.
 * @throws Error with one sentence
 */
export function recordableFinding(store: ResultsStore, place: unknown): FindingMark {
  const finding = (isSourcePlace(place) ? findingAt(store.findings, place) : undefined) ?? store.findings.at(0);
  if (finding === undefined)
    throw new Error(vscode.l10n.t('No earlier leak to compare with: open the snapshots of the run before.'));
  return finding;
}

/** The finding whose statement, or one of whose lines, stands there as recorded. */
function findingAt(findings: readonly FindingMark[], place: SourcePlace): FindingMark | undefined {
  const isHere = ({ file, line }: SourcePlace): boolean => file === place.file && line === place.line;
  return findings.find(isHere) ?? findings.find(({ lines }) => lines.some(isHere));
}

function findingAtCursor(marks: EditorMarks): FindingMark | undefined {
  const editor = vscode.window.activeTextEditor;
  return editor && marks.findingAt(editor.document, editor.selection.active.line + 1);
}
