import * as vscode from 'vscode';
import { grownSince } from '../../core/present/comparison.js';
import { askingSentences, askingShort } from '../../core/present/failed.js';
import { actionTexts, presentFinding, presentLine, withStale } from '../../core/present/presented.js';
import { visibleLines, visibleText } from '../../core/text/plainText.js';
import { InternalCommand, Command } from '../contributions.js';
import { Listener } from '../disposer.js';
import type { EditorMarks } from './editorMarks.js';
import type { FindingMark } from '../results/findingMarks.js';
import type { MarkedPlace } from './markedLines.js';

/**
 * An editor without focus can drop the event of new lenses. It gets the event again after this many ms, then twice as
 * many.
 */
const RETRY_MS = 1_000;
/** The last attempt comes after half a minute. */
const MAX_ATTEMPTS = 6;

/** Byte counts above lines: a lookup, never a computation. */
export class LensProvider extends Listener implements vscode.CodeLensProvider {
  private readonly changedEmitter = new vscode.EventEmitter<void>();
  private timer: ReturnType<typeof setTimeout> | undefined;
  /** Documents that requested lenses since the last change. */
  private readonly asked = new Set<string>();
  /** Lenses by their source list, which is a new object after each change. */
  private readonly made = new WeakMap<readonly unknown[], vscode.CodeLens[]>();

  readonly onDidChangeCodeLenses = this.changedEmitter.event;

  constructor(private readonly marks: EditorMarks) {
    super();
    const changed = (): void => {
      this.asked.clear();
      for (const { document } of vscode.window.visibleTextEditors) this.lensesOf(document);
      this.notify(1);
    };
    this.subscriptions = [
      { dispose: () => clearTimeout(this.timer) },
      marks.onDidChange(changed),
      // An edit in one file may change marks in another.
      marks.onDidMove(() => this.changedEmitter.fire()),
      this.changedEmitter,
    ];
  }

  provideCodeLenses(document: vscode.TextDocument): vscode.CodeLens[] {
    this.asked.add(document.uri.toString());
    return this.lensesOf(document);
  }

  private notify(attempt: number): void {
    this.changedEmitter.fire();
    clearTimeout(this.timer);
    if (attempt === MAX_ATTEMPTS) return;
    this.timer = setTimeout(
      () => {
        const isUnanswered = vscode.window.visibleTextEditors.some(
          ({ document }) => this.marks.isMine(document) && !this.asked.has(document.uri.toString()),
        );
        if (isUnanswered) this.notify(attempt + 1);
      },
      RETRY_MS * 2 ** (attempt - 1),
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
    return this.marks.askingIn(document).map(({ item, place }) => {
      const title = withStale(askingShort(item), place);
      const range = lineRange(document, place.line);
      return 'explanation' in item
        ? lens(range, InternalCommand.showMessage, title, askingSentences(item), item)
        : lens(range, Command.openTimeline, title, askingSentences(item));
    });
  }

  private leakLenses(document: vscode.TextDocument): vscode.CodeLens[] {
    const held = new Set(this.marks.holdersIn(document).map(({ place }) => place.line));
    return this.marks.leaksIn(document).flatMap(({ item: mark, place: at }) => {
      const range = lineRange(document, at.line);
      const finding = this.marks.findingOf(mark);
      const title = withStale(presentLine(mark).lens, at);
      const { leaks, timeline } = actionTexts();
      return [
        lens(range, InternalCommand.showLine, title, leaks, mark),
        // One of each above a line.
        ...(finding === undefined || held.has(at.line) ? [] : fixLens(range, finding, at)),
        lens(range, Command.showLineOnTimeline, timeline, undefined, mark),
      ];
    });
  }

  private holderLenses(document: vscode.TextDocument): vscode.CodeLens[] {
    return this.marks.holdersIn(document).flatMap(({ item: finding, place: at }) => {
      const range = lineRange(document, at.line);
      const title = withStale(presentFinding(finding.parts[0]).lens, at);
      const tooltip = vscode.l10n.t('Go to the line that allocates most of it');
      const most = lens(range, InternalCommand.openSource, title, tooltip, finding.lines[0]);
      return [most, ...fixLens(range, finding, at)];
    });
  }

  private growthLenses(document: vscode.TextDocument): vscode.CodeLens[] {
    const since = this.marks.comparedWith;
    if (since === null) return [];
    return this.marks.growthIn(document).map(({ item, place }) => {
      const title = grownSince(item.growthBytes, since);
      const range = lineRange(document, place.line);
      return lens(range, InternalCommand.showLine, title, vscode.l10n.t('Show in Compare'), item);
    });
  }
}

/** @param place the argument of the command, if any */
function lens(
  range: vscode.Range,
  command: string,
  title: string,
  tooltip?: string,
  place?: { readonly file: string; readonly line: number },
): vscode.CodeLens {
  return new vscode.CodeLens(range, {
    title: visibleText(title),
    command,
    ...(tooltip !== undefined && { tooltip: visibleLines(tooltip) }),
    ...(place !== undefined && { arguments: [{ file: place.file, line: place.line }] }),
  });
}

function fixLens(range: vscode.Range, finding: FindingMark, at: MarkedPlace): vscode.CodeLens[] {
  const edit = finding.parts[0].finding.holder?.edit ?? null;
  if (edit === null || at.edited || finding.tone === 'growing') return [];
  return [lens(range, Command.fixLeak, actionTexts().fix, edit.title, finding)];
}

/** The text of a 1-based line. */
function lineRange(document: vscode.TextDocument, line: number): vscode.Range {
  const text = document.lineAt(line - 1);
  return new vscode.Range(line - 1, text.firstNonWhitespaceCharacterIndex, line - 1, text.text.length);
}
