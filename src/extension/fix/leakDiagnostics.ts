import * as vscode from 'vscode';
import type { LineReport } from '../../core/report/report.js';
import { disposeAll, type Disposer } from '../disposer.js';
import type { EditorMarks } from '../marks/editorMarks.js';
import { askingProblemText } from '../results/askingMarks.js';
import type { FindingMark } from '../results/findingMarks.js';
import { isCallerOnly, isOfOtherText, type LineMark } from '../results/lineMarks.js';
import { problemSeverity } from '../settings.js';
import type { PythonFiles } from '../workspace/pythonFiles.js';

export const LEAK_SOURCE = 'Leakline';
/** The verdict's name in reports. */
export const LEAK_CODE = 'leak';
const OUT_OF_MEMORY_CODE = 'outOfMemory';

/** Frames of the worst stack that a problem leads to. */
const MOST_FRAMES = 3;

/**
 * Findings that leak, and lines that ran out of memory, in the Problems view. Each is one, on the statement to change; lines that
 * only allocate have a hint. Where a line was edited since, or only calls what leaks, there is none.
 */
export class LeakDiagnostics implements vscode.Disposable {
  private readonly collection = vscode.languages.createDiagnosticCollection(LEAK_SOURCE);
  private readonly subscriptions: readonly Disposer[];

  constructor(
    private readonly marks: EditorMarks,
    private readonly files: PythonFiles,
  ) {
    const refresh = (): void => {
      this.refresh();
    };
    this.subscriptions = [
      this.collection,
      marks.onDidChange(refresh),
      marks.onDidMove(refresh),
      vscode.workspace.onDidOpenTextDocument((document) => {
        if (marks.isMine(document)) this.refresh();
      }),
    ];
  }

  dispose(): void {
    disposeAll(this.subscriptions);
  }

  private refresh(): void {
    const severity = this.marks.shown.problems ? problemSeverity() : null;
    const open = new Map(vscode.workspace.textDocuments.map((document) => [document.uri.toString(), document]));
    const byFile = new Map<string, [vscode.Uri, vscode.Diagnostic[]]>();
    const add = (
      mark: { file: string; line: number },
      isOther: boolean,
      make: (range: vscode.Range) => vscode.Diagnostic,
    ): void => {
      const uri = this.files.uri(mark.file);
      const range = uri === undefined ? null : this.rangeOf(mark.line, isOther, open.get(uri.toString()));
      if (uri === undefined || range === null) return;
      const entry = byFile.get(mark.file) ?? [uri, []];
      entry[1].push(make(range));
      byFile.set(mark.file, entry);
    };
    for (const finding of severity === null ? [] : this.marks.shownLeaks) {
      const isOther = finding.lines.some(isOfOtherText);
      if (finding.lines.every(isCallerOnly)) continue;
      add(finding, isOther, (range) => this.problem(finding, range, severity ?? vscode.DiagnosticSeverity.Warning));
      for (const mark of finding.lines) {
        if (mark.file === finding.file && mark.line === finding.line) continue;
        add(mark, isOfOtherText(mark), (range) => this.hint(range));
      }
    }
    for (const mark of severity === null ? [] : this.marks.asking) {
      add(mark, false, (range) => {
        const problem = new vscode.Diagnostic(range, askingProblemText(mark), severity ?? undefined);
        problem.source = LEAK_SOURCE;
        problem.code = OUT_OF_MEMORY_CODE;
        return problem;
      });
    }
    this.collection.clear();
    this.collection.set([...byFile.values()]);
  }

  /** Null where the line is not what it was, or may not be. */
  private rangeOf(line: number, isOther: boolean, document: vscode.TextDocument | undefined): vscode.Range | null {
    if (document === undefined) {
      return isOther ? null : new vscode.Range(line - 1, 0, line - 1, Number.MAX_SAFE_INTEGER);
    }
    const place = this.marks.placeOf(document, line);
    if (place === null || place.edited) return null;
    const { firstNonWhitespaceCharacterIndex, text } = document.lineAt(place.line - 1);
    return new vscode.Range(place.line - 1, firstNonWhitespaceCharacterIndex, place.line - 1, text.length);
  }

  /** Its hover has the numbers, so this has none. */
  private problem(finding: FindingMark, range: vscode.Range, severity: vscode.DiagnosticSeverity): vscode.Diagnostic {
    const { holder, lines } = finding.parts[0].finding;
    const text =
      holder === null
        ? vscode.l10n.t('GPU memory leak')
        : vscode.l10n.t('GPU memory leak: {0} keeps growing', holder.name);
    const others = finding.lines.filter((mark) => mark.file !== finding.file || mark.line !== finding.line);
    return this.diagnostic(text, range, severity, [
      ...others.map((mark): [LineMark, string] => [mark, vscode.l10n.t('allocates memory that is held here')]),
      ...(others.length > 0 ? [] : this.callers(lines[0])),
    ]);
  }

  /** Its hover names the statement that holds the memory. */
  private hint(range: vscode.Range): vscode.Diagnostic {
    return this.diagnostic(vscode.l10n.t('Memory of this line leaks'), range, vscode.DiagnosticSeverity.Hint, []);
  }

  private diagnostic(
    text: string,
    range: vscode.Range,
    severity: vscode.DiagnosticSeverity,
    related: readonly [place: { file: string; line: number }, text: string][],
  ): vscode.Diagnostic {
    const diagnostic = new vscode.Diagnostic(range, text, severity);
    diagnostic.source = LEAK_SOURCE;
    diagnostic.code = LEAK_CODE;
    diagnostic.relatedInformation = related.flatMap(([{ file, line }, message]) => {
      const uri = this.files.uri(file);
      if (uri === undefined || line < 1) return [];
      const location = new vscode.Location(uri, new vscode.Position(line - 1, 0));
      return [new vscode.DiagnosticRelatedInformation(location, message)];
    });
    return diagnostic;
  }

  private callers({ file, line, stacks }: LineReport): [place: { file: string; line: number }, text: string][] {
    const frames = stacks.at(0)?.frames ?? [];
    return frames
      .filter((frame) => this.marks.canOpen(frame.file) && !(frame.file === file && frame.line === line))
      .slice(0, MOST_FRAMES)
      .map((frame) => [frame, vscode.l10n.t('called in {0}', frame.function)]);
  }
}
