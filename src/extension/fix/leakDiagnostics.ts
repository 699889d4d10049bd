import * as vscode from 'vscode';
import { byteText } from '../../core/text/byteText.js';
import type { StackReport } from '../../core/report/report.js';
import { disposeAll, type Disposer } from '../disposer.js';
import type { EditorMarks } from '../marks/editorMarks.js';
import { rateText } from '../marks/markText.js';
import { isCallerOnly, isOfOtherText, type LineMark } from '../results/lineMarks.js';
import { problemSeverity } from '../settings.js';
import { basename } from '../text/pathText.js';
import type { PythonFiles } from '../workspace/pythonFiles.js';

export const LEAK_SOURCE = 'Leakline';
/** The verdict's name in reports. */
export const LEAK_CODE = 'leak';

/** Frames of the worst stack that a problem leads to. */
const MOST_FRAMES = 3;

/**
 * Lines that leak, in the Problems view: nothing else is a problem. A line that was edited since is none any more, nor
 * is one whose memory is kept by a statement that was edited, or that only calls what leaks.
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
    for (const mark of severity === null ? [] : this.marks.leaks) {
      const uri = this.files.uri(mark.file);
      if (uri === undefined || isCallerOnly(mark) || this.marks.isKeeperEdited(mark)) continue;
      const range = this.rangeOf(mark, open.get(uri.toString()));
      if (range === null) continue;
      const entry = byFile.get(mark.file) ?? [uri, []];
      entry[1].push(this.diagnostic(mark, range, severity ?? vscode.DiagnosticSeverity.Warning));
      byFile.set(mark.file, entry);
    }
    this.collection.clear();
    this.collection.set([...byFile.values()]);
  }

  /** Null where the line is not what it was, or may not be. */
  private rangeOf(mark: LineMark, document: vscode.TextDocument | undefined): vscode.Range | null {
    if (document === undefined) {
      return isOfOtherText(mark) ? null : new vscode.Range(mark.line - 1, 0, mark.line - 1, Number.MAX_SAFE_INTEGER);
    }
    const place = this.marks.placeOf(document, mark.line);
    if (place === null || place.edited) return null;
    const line = document.lineAt(place.line - 1);
    return new vscode.Range(place.line - 1, line.firstNonWhitespaceCharacterIndex, place.line - 1, line.text.length);
  }

  private diagnostic(mark: LineMark, range: vscode.Range, severity: vscode.DiagnosticSeverity): vscode.Diagnostic {
    const diagnostic = new vscode.Diagnostic(range, problemText(mark), severity);
    diagnostic.source = LEAK_SOURCE;
    diagnostic.code = LEAK_CODE;
    diagnostic.relatedInformation = this.related(mark);
    return diagnostic;
  }

  private related(mark: LineMark): vscode.DiagnosticRelatedInformation[] {
    const { holder, stacks } = mark.parts[0].line;
    const places: [place: StackReport['frames'][number], text: string][] = [];
    if (holder !== null) places.push([{ ...holder, function: '' }, vscode.l10n.t('kept by {0}', holder.text)]);
    const frames = stacks.at(0)?.frames ?? [];
    const callers = frames.filter(
      ({ file, line }) => this.marks.canOpen(file) && !(file === mark.file && line === mark.line),
    );
    for (const frame of callers.slice(0, MOST_FRAMES)) {
      places.push([frame, vscode.l10n.t('called in {0}', frame.function)]);
    }
    return places.flatMap(([{ file, line }, text]) => {
      const uri = this.files.uri(file);
      if (uri === undefined || line < 1) return [];
      return [
        new vscode.DiagnosticRelatedInformation(new vscode.Location(uri, new vscode.Position(line - 1, 0)), text),
      ];
    });
  }
}

/** What leaks, how fast, and who keeps it. */
function problemText(mark: LineMark): string {
  const { run, line } = mark.parts[0];
  const amount = vscode.l10n.t('{0} of GPU memory leaked by this line', byteText(line.leakedBytes));
  const rate = rateText(run, line, vscode.l10n);
  const holder =
    line.holder === null
      ? null
      : vscode.l10n.t('kept by {0} ({1}:{2})', line.holder.text, basename(line.holder.file), line.holder.line);
  return [amount, rate, holder].filter((text) => text !== null).join(', ');
}
