import * as vscode from 'vscode';
import { InternalCommand, Command } from '../contributions.js';
import { disposeAll, type Disposer } from '../disposer.js';
import type { ResultsStore } from '../results/resultsStore.js';
import type { PythonFiles } from '../workspace/pythonFiles.js';
import type { MarkedLines } from './markedLines.js';
import type { MarkSwitch } from './markSwitch.js';
import { compareLensText, lensText } from './markText.js';

/**
 * An editor that loses the focus forgets that it was told of new lenses, if it has not asked for them by then. So it is
 * told once more, after this many milliseconds.
 */
const TOLD_AGAIN_MS = 1_000;

/** Byte counts above lines: a lookup in what is known, never a computation. */
export class LensProvider implements vscode.CodeLensProvider, vscode.Disposable {
  private readonly changedEmitter = new vscode.EventEmitter<void>();
  private readonly subscriptions: readonly Disposer[];
  private timer: ReturnType<typeof setTimeout> | undefined;

  readonly onDidChangeCodeLenses = this.changedEmitter.event;

  constructor(
    private readonly store: ResultsStore,
    private readonly files: PythonFiles,
    private readonly marks: MarkSwitch,
    private readonly lines: MarkedLines,
  ) {
    const changed = (): void => {
      this.announce();
    };
    this.subscriptions = [store.onDidChange(changed), marks.onDidChange(changed), this.changedEmitter];
  }

  provideCodeLenses(document: vscode.TextDocument): vscode.CodeLens[] {
    if (!this.marks.shown.codeLens) return [];
    const path = this.files.path(document.uri);
    if (this.files.uri(path)?.toString() !== document.uri.toString()) return [];
    return this.store.comparison === null ? this.leakLenses(document, path) : this.compareLenses(document, path);
  }

  dispose(): void {
    clearTimeout(this.timer);
    disposeAll(this.subscriptions);
  }

  private announce(): void {
    this.changedEmitter.fire();
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      this.changedEmitter.fire();
    }, TOLD_AGAIN_MS);
  }

  private leakLenses(document: vscode.TextDocument, path: string): vscode.CodeLens[] {
    return this.store.marksOf(path).flatMap((mark) => {
      const at = this.lines.place(document, mark.line);
      if (at === null) return [];
      const range = lineRange(document, at.line);
      const text = lensText(mark, vscode.l10n);
      const place = { file: mark.file, line: mark.line };
      return [
        new vscode.CodeLens(range, {
          title: at.edited ? vscode.l10n.t('{0} · before your edit', text) : text,
          tooltip: vscode.l10n.t('Show the stacks of this line'),
          command: InternalCommand.showLine,
          arguments: [place],
        }),
        new vscode.CodeLens(range, {
          title: vscode.l10n.t('Show on timeline'),
          command: Command.showLineOnTimeline,
          arguments: [place],
        }),
      ];
    });
  }

  private compareLenses(document: vscode.TextDocument, path: string): vscode.CodeLens[] {
    const comparison = this.store.comparison;
    if (comparison === null) return [];
    return (comparison.byFile.get(path) ?? []).flatMap((line) => {
      const at = this.lines.place(document, line.line);
      if (at === null) return [];
      const range = lineRange(document, at.line);
      return [
        new vscode.CodeLens(range, {
          title: compareLensText(line, comparison.report.a.path, vscode.l10n),
          tooltip: vscode.l10n.t('Show the stacks of this line'),
          command: InternalCommand.showLine,
          arguments: [{ file: line.file, line: line.line }],
        }),
      ];
    });
  }
}

/** The text of a 1-based line. */
function lineRange(document: vscode.TextDocument, line: number): vscode.Range {
  const text = document.lineAt(line - 1);
  return new vscode.Range(line - 1, text.firstNonWhitespaceCharacterIndex, line - 1, text.text.length);
}
