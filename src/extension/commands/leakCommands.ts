import * as vscode from 'vscode';
import type { FixPreview } from '../fix/fixPreview.js';
import type { IgnoreFiles } from '../ignore/ignoreFiles.js';
import type { EditorMarks } from '../marks/editorMarks.js';
import type { FindingMark } from '../results/findingMarks.js';
import type { ResultsStore } from '../results/resultsStore.js';
import { isSourcePlace, type SourcePlace, openSource } from '../workspace/openSource.js';
import type { PythonFiles } from '../workspace/pythonFiles.js';
import type { MarkedLines } from '../marks/markedLines.js';
import { isInEditor, neighborMark } from '../results/lineMarks.js';
import { renderMarkdown } from '../../core/render/renderMarkdown.js';
import { runNames } from '../results/runText.js';
import { folderName } from '../workspace/folderName.js';

/** Maximum number of lines in the report, leaks apart: it is pasted into an issue. */
const MAX_LINES = 20;

/** Commands on findings. A place is that of a row, lens or action; without one, the cursor counts. */
export class LeakCommands {
  constructor(
    private readonly store: ResultsStore,
    private readonly files: PythonFiles,
    private readonly lines: MarkedLines,
    private readonly marks: EditorMarks,
    private readonly ignored: IgnoreFiles,
    private readonly preview: FixPreview,
  ) {}

  /** Adds a finding to the ignore file, with all its lines. @throws Error */
  async ignore(place: unknown): Promise<void> {
    const lines = (this.findingOf(place)?.lines ?? []).filter(({ mapped }) => mapped);
    if (lines.length === 0) throw new Error(vscode.l10n.t('Run this command on a marked line.'));
    for (const mark of lines) {
      const uri = this.files.uri(mark.file);
      if (uri === undefined) continue;
      const document = await vscode.workspace.openTextDocument(uri);
      const text = document.lineAt((this.lines.place(document, mark.line)?.line ?? mark.line) - 1).text;
      for (const { line } of mark.parts) await this.ignored.add(line, text);
    }
  }

  /** @throws Error with one sentence */
  async stopIgnoring(place: unknown): Promise<void> {
    const finding = isSourcePlace(place) ? findingAt(this.store.ignoredFindings, place) : undefined;
    if (finding === undefined) throw new Error(vscode.l10n.t('Run this command on an ignored leak in the Leaks view.'));
    await this.ignored.remove(finding.lines.flatMap(({ parts }) => parts.map(({ line }) => line)));
  }

  /** Shows the change of a fix. @throws Error without a fix, or if the source differs */
  async fix(place: unknown): Promise<void> {
    const finding = this.findingOf(place);
    if (finding === undefined || !(await this.preview.show(finding))) {
      throw new Error(vscode.l10n.t('Leakline knows no fix for this line. Select another line of the finding.'));
    }
  }

  /** The finding whose program runs again: the given one, else the worst leak. @throws Error with a message for users */
  recordable(place: unknown): FindingMark {
    const { findings } = this.store;
    const finding = (isSourcePlace(place) ? findingAt(findings, place) : undefined) ?? findings.at(0);
    if (finding === undefined)
      throw new Error(vscode.l10n.t('No earlier leak to compare with: open the snapshots of the previous run.'));
    return finding;
  }

  /**
   * Goes to the next or previous finding through all files, cyclically; without a cursor, to the worst. Edited findings
   * come last, and growth only if nothing else is marked.
   */
  async goTo(direction: 1 | -1): Promise<void> {
    const { findings: all, comparison } = this.store;
    const marked = all.filter(({ mapped, lines }) => mapped && lines.some(isInEditor));
    const proved = marked.filter(({ tone }) => tone !== 'growing');
    const findings = proved.length > 0 ? proved : marked;
    const open = findings.filter((finding) => !this.marks.isFindingEdited(finding));
    const places: readonly SourcePlace[] =
      comparison !== null ? comparison.lines.filter(({ mapped }) => mapped) : open.length > 0 ? open : findings;
    const editor = vscode.window.activeTextEditor;
    const at =
      editor === undefined
        ? null
        : { file: this.files.path(editor.document.uri), line: editor.selection.active.line + 1 };
    // In the file that is being edited, marks are where their lines are now.
    const moved = places.map(({ file, line }) => ({
      file,
      line: editor !== undefined && file === at?.file ? (this.lines.place(editor.document, line)?.line ?? line) : line,
      recorded: { file, line },
    }));
    const next = neighborMark(moved, at, direction);
    if (next === undefined) throw new Error(vscode.l10n.t('No line of this workspace is marked.'));
    await openSource(this.files, this.lines, next.recorded);
  }

  /** Puts the report on the clipboard as Markdown, with runs named as in the views: no path of this machine is in it. */
  async copyReport(): Promise<void> {
    const report = this.store.result?.report;
    if (report === undefined) throw new Error(vscode.l10n.t('There is no report yet: no snapshot was read.'));
    const names = runNames(report.runs, folderName);
    const runs = report.runs.map((run) => ({ ...run, id: names.get(run.id) ?? run.id }));
    await vscode.env.clipboard.writeText(renderMarkdown({ ...report, runs }, { maxLines: MAX_LINES }));
    vscode.window.setStatusBarMessage(vscode.l10n.t('Leakline: report copied'), 3_000);
  }

  private findingOf(place: unknown): FindingMark | undefined {
    if (isSourcePlace(place)) return findingAt(this.store.findings, place);
    const editor = vscode.window.activeTextEditor;
    return editor && this.marks.findingAt(editor.document, editor.selection.active.line + 1);
  }
}

/** The finding whose statement, or one of whose lines, stands there as recorded. */
function findingAt(findings: readonly FindingMark[], place: SourcePlace): FindingMark | undefined {
  const isHere = ({ file, line }: SourcePlace): boolean => file === place.file && line === place.line;
  return findings.find(isHere) ?? findings.find(({ lines }) => lines.some(isHere));
}
