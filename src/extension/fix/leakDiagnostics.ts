import * as vscode from 'vscode';
import { askingSentences } from '../../core/present/failed.js';
import { presentFinding, presentLine } from '../../core/present/presented.js';
import { visibleLines, visibleText } from '../../core/text/plainText.js';
import { Listener } from '../disposer.js';
import type { EditorMarks } from '../marks/editorMarks.js';
import type { FindingMark } from '../results/findingMarks.js';
import { isCallerOnly, isOfOtherText } from '../results/lineMarks.js';
import { problemSeverity } from '../settings.js';
import type { PythonFiles } from '../workspace/pythonFiles.js';

export const LEAK_SOURCE = 'Leakline';
/** Code of a problem on a leak: the verdict's name in reports. */
export const LEAK_CODE = 'leak';
/** Code of a problem on a line that ran out of memory. */
export const OUT_OF_MEMORY_CODE = 'outOfMemory';

/** Maximum number of lines that allocate and that a problem leads to. */
const MAX_LINES = 8;

/**
 * Leaks and out-of-memory errors in the Problems view, one each, on the statement to change. Edited lines have none.
 */
export class LeakDiagnostics extends Listener {
  private readonly collection = vscode.languages.createDiagnosticCollection(LEAK_SOURCE);

  constructor(
    private readonly marks: EditorMarks,
    private readonly files: PythonFiles,
  ) {
    super();
    const refresh = (): void => this.refresh();
    this.subscriptions = [
      this.collection,
      marks.onDidChange(refresh),
      marks.onDidMove(refresh),
      vscode.workspace.onDidOpenTextDocument((document) => {
        if (marks.isMine(document)) this.refresh();
      }),
    ];
  }

  private refresh(): void {
    this.collection.clear();
    const severity = this.marks.shown.problems ? problemSeverity() : null;
    if (severity === null) return;
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
    for (const finding of this.marks.shownLeaks) {
      const isOther = finding.lines.some(isOfOtherText);
      if (finding.lines.every(isCallerOnly)) continue;
      add(finding, isOther, (range) => this.problem(finding, range, severity));
    }
    for (const mark of this.marks.asking) {
      add(mark, false, (range) => {
        const problem = new vscode.Diagnostic(range, visibleLines(askingSentences(mark)), severity);
        problem.source = LEAK_SOURCE;
        problem.code = OUT_OF_MEMORY_CODE;
        return problem;
      });
    }
    this.collection.set([...byFile.values()]);
  }

  /** Null if the line may have changed. */
  private rangeOf(line: number, isOther: boolean, document: vscode.TextDocument | undefined): vscode.Range | null {
    if (document === undefined) {
      return isOther ? null : new vscode.Range(line - 1, 0, line - 1, Number.MAX_SAFE_INTEGER);
    }
    const place = this.marks.placeOf(document, line);
    if (place === null || place.edited) return null;
    const { firstNonWhitespaceCharacterIndex, text } = document.lineAt(place.line - 1);
    return new vscode.Range(place.line - 1, firstNonWhitespaceCharacterIndex, place.line - 1, text.length);
  }

  /** The hover of the line omits this text. */
  private problem(finding: FindingMark, range: vscode.Range, severity: vscode.DiagnosticSeverity): vscode.Diagnostic {
    const diagnostic = new vscode.Diagnostic(range, visibleText(presentFinding(finding.parts[0]).sentence), severity);
    diagnostic.source = LEAK_SOURCE;
    diagnostic.code = LEAK_CODE;
    diagnostic.relatedInformation = finding.lines
      .filter((mark) => mark.file !== finding.file || mark.line !== finding.line)
      .slice(0, MAX_LINES)
      .flatMap((mark) => {
        const uri = this.files.uri(mark.file);
        if (uri === undefined || mark.line < 1) return [];
        const location = new vscode.Location(uri, new vscode.Position(mark.line - 1, 0));
        return [new vscode.DiagnosticRelatedInformation(location, presentLine(mark).allocates)];
      });
    return diagnostic;
  }
}
