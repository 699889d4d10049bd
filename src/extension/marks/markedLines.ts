import * as vscode from 'vscode';
import { disposeAll, type Disposer } from '../disposer.js';
import type { RecordedTexts } from './recordedTexts.js';
import { findLine, lineCarrier, shiftLine } from './trackedLine.js';

/** Edits are gathered for this long before marks are drawn anew, in milliseconds. */
const GATHER_MS = 150;

/** Where a recorded line is now. */
export interface MarkedPlace {
  /** 1-based. */
  readonly line: number;
  /** The line no longer reads as it did when it ran, or that cannot be told. */
  readonly edited: boolean;
  /** The file is another version than the one that ran, and what stood on the line then is not known. */
  readonly otherVersion: boolean;
  /** The line may read as it did, but the statement that holds its memory does not; `edited` is true then. */
  readonly holderEdited?: boolean;
}

interface Tracked {
  readonly text: string;
  /** 0-based. */
  line: number;
}

/** What is known of the lines of a document. */
interface Lines {
  /** By line as recorded. */
  readonly tracked: Map<number, Tracked>;
  /** From the text that ran to the document's: the whole of both is compared once per version, not once per line. */
  carry: { readonly version: number; readonly to: (line: number) => number } | null;
}

/**
 * Keeps marks on their lines while the file is edited. A line is remembered by the text that ran, where that is known,
 * else by its text from the first time that it is asked for; undo brings it back.
 */
export class MarkedLines implements vscode.Disposable {
  private readonly documents = new Map<string, Lines>();
  private readonly movedEmitter = new vscode.EventEmitter<void>();
  private readonly subscriptions: readonly Disposer[];
  private timer: ReturnType<typeof setTimeout> | undefined;

  /** Marked lines were edited or moved. */
  readonly onDidMove = this.movedEmitter.event;

  constructor(private readonly texts: RecordedTexts) {
    this.subscriptions = [
      this.movedEmitter,
      texts.onDidLearn((uri) => {
        this.documents.delete(uri.toString());
        this.movedEmitter.fire();
      }),
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
      lines = { tracked: new Map(), carry: null };
      this.documents.set(key, lines);
    }
    let tracked = lines.tracked.get(line);
    if (tracked === undefined) {
      const recorded = this.texts.of(document);
      const now = recorded.kind === 'other' ? (recorded.anchors.get(line) ?? line) : line;
      const last = recorded.kind === 'known' ? recorded.lines.length : document.lineCount;
      if (now < 1 || now > last) return null;
      if (recorded.kind === 'other') return { line: now, edited: true, otherVersion: true };
      tracked =
        recorded.kind === 'known'
          ? { text: recorded.lines[line - 1], line: carrier(lines, recorded.lines, document)(line - 1) }
          : { text: document.lineAt(line - 1).text, line: line - 1 };
      lines.tracked.set(line, tracked);
    }
    const found = findLine(document, tracked.line, tracked.text);
    if (found !== null) tracked.line = found;
    return { line: Math.min(tracked.line, document.lineCount - 1) + 1, edited: found === null, otherVersion: false };
  }

  /**
   * The line as recorded of what now stands at a line, as far as it was ever asked for; else the line itself.
   * @param line 1-based, as is the result
   */
  recorded(document: vscode.TextDocument, line: number): number {
    for (const [recorded, tracked] of this.documents.get(document.uri.toString())?.tracked ?? []) {
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
      for (const tracked of lines.tracked.values()) {
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

function carrier(lines: Lines, recorded: readonly string[], document: vscode.TextDocument): (line: number) => number {
  if (lines.carry?.version !== document.version) {
    lines.carry = { version: document.version, to: lineCarrier(recorded, document) };
  }
  return lines.carry.to;
}
