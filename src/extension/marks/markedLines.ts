import * as vscode from 'vscode';
import { disposeAll, type Disposer } from '../disposer.js';
import { findLine, shiftLine } from './trackedLine.js';

/** Edits are gathered for this long before marks are drawn anew, in milliseconds. */
const GATHER_MS = 150;

/** Where a recorded line is now. */
export interface MarkedPlace {
  /** 1-based. */
  readonly line: number;
  /** The line no longer reads as it did when the mark was first shown. */
  readonly edited: boolean;
}

interface Tracked {
  readonly text: string;
  /** 0-based. */
  line: number;
}

/**
 * Keeps marks on their lines while the file is edited. A line is remembered by its text, from the first time that it
 * is asked for; undo brings it back.
 */
export class MarkedLines implements vscode.Disposable {
  private readonly documents = new Map<string, Map<number, Tracked>>();
  private readonly movedEmitter = new vscode.EventEmitter<void>();
  private readonly subscriptions: readonly Disposer[];
  private timer: ReturnType<typeof setTimeout> | undefined;

  /** Marked lines were edited or moved. */
  readonly onDidMove = this.movedEmitter.event;

  constructor() {
    this.subscriptions = [
      this.movedEmitter,
      vscode.workspace.onDidChangeTextDocument((event) => {
        this.edited(event);
      }),
    ];
  }

  /**
   * @param line as recorded, 1-based
   * @returns null if the document never had such a line
   */
  place(document: vscode.TextDocument, line: number): MarkedPlace | null {
    const key = document.uri.toString();
    let lines = this.documents.get(key);
    if (lines === undefined) {
      lines = new Map();
      this.documents.set(key, lines);
    }
    let tracked = lines.get(line);
    if (tracked === undefined) {
      if (line < 1 || line > document.lineCount) return null;
      tracked = { text: document.lineAt(line - 1).text, line: line - 1 };
      lines.set(line, tracked);
    }
    const found = findLine(document, tracked.line, tracked.text);
    if (found !== null) tracked.line = found;
    return { line: Math.min(tracked.line, document.lineCount - 1) + 1, edited: found === null };
  }

  /**
   * The line as recorded of what now stands at a line, as far as it was ever asked for; else the line itself.
   * @param line 1-based, as is the result
   */
  recorded(document: vscode.TextDocument, line: number): number {
    for (const [recorded, tracked] of this.documents.get(document.uri.toString()) ?? []) {
      if (tracked.line === line - 1) return recorded;
    }
    return line;
  }

  /** Begins anew: a recording of another run may be of another text. */
  reset(): void {
    this.documents.clear();
  }

  dispose(): void {
    clearTimeout(this.timer);
    disposeAll(this.subscriptions);
  }

  private edited({ document, contentChanges }: vscode.TextDocumentChangeEvent): void {
    const lines = this.documents.get(document.uri.toString());
    if (lines === undefined || contentChanges.length === 0) return;
    for (const { range, text } of contentChanges) {
      const edit = {
        startLine: range.start.line,
        endLine: range.end.line,
        endCharacter: range.end.character,
        addedLines: text.split('\n').length - 1,
      };
      for (const tracked of lines.values()) {
        const indent = tracked.text.length - tracked.text.trimStart().length;
        tracked.line = shiftLine(tracked.line, indent, edit);
      }
    }
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      this.movedEmitter.fire();
    }, GATHER_MS);
  }
}
