import * as vscode from 'vscode';
import { askingLensText, askingProblemText } from '../results/askingMarks.js';
import { InternalCommand, Command } from '../contributions.js';
import { disposeAll, type Disposer } from '../disposer.js';
import type { EditorMarks } from './editorMarks.js';
import type { FindingMark } from '../results/findingMarks.js';
import type { LineMark } from '../results/lineMarks.js';
import { holderLensText } from './findingText.js';
import type { MarkedPlace } from './markedLines.js';
import { compareLensText, lensText, staleText } from './markText.js';

/**
 * An editor that loses the focus forgets the notice of new lenses, if it has not asked for them by then. Those
 * that have not asked are told again after this many milliseconds, and then after twice as many, and so on.
 */
const TOLD_AGAIN_MS = 1_000;
/** Half a minute passes before the last telling. */
const MOST_TELLINGS = 6;

/** Byte counts above lines: a lookup in what is known, never a computation. */
export class LensProvider implements vscode.CodeLensProvider, vscode.Disposable {
  private readonly changedEmitter = new vscode.EventEmitter<void>();
  private readonly subscriptions: readonly Disposer[];
  private timer: ReturnType<typeof setTimeout> | undefined;
  /** Documents whose lenses were asked for since the last change. */
  private readonly asked = new Set<string>();
  /** Lenses by the list that they were made of: it is another one when something has changed. */
  private readonly made = new WeakMap<readonly unknown[], vscode.CodeLens[]>();
  /** What lenses say of marks: the same after every edit. */
  private readonly texts = new WeakMap<LineMark, string>();

  readonly onDidChangeCodeLenses = this.changedEmitter.event;

  constructor(private readonly marks: EditorMarks) {
    const changed = (): void => {
      this.asked.clear();
      for (const { document } of vscode.window.visibleTextEditors) this.lensesOf(document);
      this.tell(1);
    };
    this.subscriptions = [
      marks.onDidChange(changed),
      // An edit in one file may say something of lines in another.
      marks.onDidMove(() => {
        this.changedEmitter.fire();
      }),
      this.changedEmitter,
    ];
  }

  provideCodeLenses(document: vscode.TextDocument): vscode.CodeLens[] {
    this.asked.add(document.uri.toString());
    return this.lensesOf(document);
  }

  dispose(): void {
    clearTimeout(this.timer);
    disposeAll(this.subscriptions);
  }

  private tell(telling: number): void {
    this.changedEmitter.fire();
    clearTimeout(this.timer);
    if (telling === MOST_TELLINGS) return;
    this.timer = setTimeout(
      () => {
        const isDeaf = vscode.window.visibleTextEditors.some(
          ({ document }) => this.marks.isMine(document) && !this.asked.has(document.uri.toString()),
        );
        if (isDeaf) this.tell(telling + 1);
      },
      TOLD_AGAIN_MS * 2 ** (telling - 1),
    );
  }

  private lensesOf(document: vscode.TextDocument): vscode.CodeLens[] {
    if (!this.marks.shown.codeLens) return [];
    const growth = this.marks.growthIn(document);
    const list = growth.length > 0 ? growth : this.marks.leaksIn(document);
    const known = this.made.get(list);
    if (known !== undefined) return known;
    const lenses =
      growth.length > 0
        ? this.growthLenses(document)
        : [...this.askingLenses(document), ...this.leakLenses(document), ...this.holderLenses(document)];
    this.made.set(list, lenses);
    return lenses;
  }

  private askingLenses(document: vscode.TextDocument): vscode.CodeLens[] {
    return this.marks.askingIn(document).map(
      ({ said, place }) =>
        new vscode.CodeLens(lineRange(document, place.line), {
          title: staleText(askingLensText(said, vscode.l10n), place, vscode.l10n),
          tooltip: askingProblemText(said),
          command: Command.openTimeline,
        }),
    );
  }

  private leakLenses(document: vscode.TextDocument): vscode.CodeLens[] {
    const held = new Set(this.marks.holdersIn(document).map(({ place }) => place.line));
    return this.marks.leaksIn(document).flatMap(({ said: mark, place: at }) => {
      const range = lineRange(document, at.line);
      const finding = this.marks.findingOf(mark);
      const title = staleText(this.textOf(mark), at, vscode.l10n);
      const place = { file: mark.file, line: mark.line };
      return [
        new vscode.CodeLens(range, {
          title,
          tooltip: vscode.l10n.t('Show in Leaks'),
          command: InternalCommand.showLine,
          arguments: [place],
        }),
        // One of each above a line.
        ...(finding === undefined || held.has(at.line) ? [] : fixLens(range, finding, at)),
        new vscode.CodeLens(range, {
          title: vscode.l10n.t('Show on timeline'),
          command: Command.showLineOnTimeline,
          arguments: [place],
        }),
      ];
    });
  }

  private textOf(mark: LineMark): string {
    let text = this.texts.get(mark);
    if (text === undefined) {
      text = lensText(mark, vscode.l10n);
      this.texts.set(mark, text);
    }
    return text;
  }

  private holderLenses(document: vscode.TextDocument): vscode.CodeLens[] {
    return this.marks.holdersIn(document).flatMap(({ said: finding, place: at }) => {
      const range = lineRange(document, at.line);
      const [{ file, line }] = finding.lines;
      return [
        new vscode.CodeLens(range, {
          title: staleText(holderLensText(finding), at, vscode.l10n),
          tooltip: vscode.l10n.t('Go to the line that allocates most of it'),
          command: InternalCommand.openSource,
          arguments: [{ file, line }],
        }),
        ...fixLens(range, finding, at),
      ];
    });
  }

  private growthLenses(document: vscode.TextDocument): vscode.CodeLens[] {
    const since = this.marks.comparedWith;
    if (since === null) return [];
    return this.marks.growthIn(document).map(
      ({ said: line, place }) =>
        new vscode.CodeLens(lineRange(document, place.line), {
          title: compareLensText(line, since, vscode.l10n),
          tooltip: vscode.l10n.t('Show in Compare'),
          command: InternalCommand.showLine,
          arguments: [{ file: line.file, line: line.line }],
        }),
    );
  }
}

function fixLens(range: vscode.Range, finding: FindingMark, at: MarkedPlace): vscode.CodeLens[] {
  const { file, line, parts } = finding;
  const edit = parts[0].finding.holder?.edit ?? null;
  return edit === null || at.edited
    ? []
    : [
        new vscode.CodeLens(range, {
          title: vscode.l10n.t('Fix…'),
          tooltip: edit.title,
          command: Command.fixLeak,
          arguments: [{ file, line }],
        }),
      ];
}

/** The text of a 1-based line. */
function lineRange(document: vscode.TextDocument, line: number): vscode.Range {
  const text = document.lineAt(line - 1);
  return new vscode.Range(line - 1, text.firstNonWhitespaceCharacterIndex, line - 1, text.text.length);
}
