import * as vscode from 'vscode';
import { getOrAdd } from '../../core/maps.js';
import { Listener } from '../disposer.js';
import type { RecordedTexts } from './recordedTexts.js';
import { findLine, lineCarrier, shiftLine } from './trackedLine.js';

/** Edits are gathered for this long before marks are drawn again, in milliseconds. */
const GATHER_MS = 150;

/** Where a recorded line is now. */
export interface MarkedPlace {
  /** 1-based. */
  readonly line: number;
  /** The line differs from the one that ran, or this is unknown. */
  readonly edited: boolean;
  /** The file is a different version, and the text that ran on this line is unknown. */
  readonly otherVersion: boolean;
  /** The statement that holds the line's memory was edited; `edited` is then true. */
  readonly holderEdited?: boolean;
}

interface Tracked {
  readonly text: string;
  /** 0-based. */
  line: number;
}

/** The tracked lines of a document. */
interface Lines {
  /** Tracked lines by their recorded number. */
  readonly tracked: Map<number, Tracked>;
  /** Diff from the text that ran to the document, computed once per version. */
  carry: { readonly version: number; readonly to: (line: number) => number } | null;
}

/**
 * Moves marks with their lines during edits. A line is tracked by the text that ran, else by its first known text. Undo
 * restores the mark.
 */
export class MarkedLines extends Listener {
  private readonly documents = new Map<string, Lines>();
  private readonly movedEmitter = new vscode.EventEmitter<void>();
  private timer: ReturnType<typeof setTimeout> | undefined;

  /** Marked lines were edited or moved. */
  readonly onDidMove = this.movedEmitter.event;

  constructor(private readonly texts: RecordedTexts) {
    super();
    this.subscriptions = [
      { dispose: () => clearTimeout(this.timer) },
      this.movedEmitter,
      texts.onDidLearn((uri) => {
        this.documents.delete(uri.toString());
        this.movedEmitter.fire();
      }),
      vscode.workspace.onDidChangeTextDocument((event) => this.edited(event)),
    ];
  }

  /** @param line as recorded, 1-based @returns null if the document never had such a line */
  place(document: vscode.TextDocument, line: number): MarkedPlace | null {
    const key = document.uri.toString();
    const lines = getOrAdd(this.documents, key, () => ({ tracked: new Map(), carry: null }));
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
   * The recorded line of a current line that was looked up before; else the same line. @param line 1-based, as is the
   * result
   */
  recorded(document: vscode.TextDocument, line: number): number {
    for (const [recorded, tracked] of this.documents.get(document.uri.toString())?.tracked ?? []) {
      if (tracked.line === line - 1) return recorded;
    }
    return line;
  }

  /** Starts again: a recording of another run may have another text. */
  reset(): void {
    this.documents.clear();
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
    this.timer = setTimeout(() => this.movedEmitter.fire(), GATHER_MS);
  }
}

function carrier(lines: Lines, recorded: readonly string[], document: vscode.TextDocument): (line: number) => number {
  if (lines.carry?.version !== document.version) {
    lines.carry = { version: document.version, to: lineCarrier(recorded, document) };
  }
  return lines.carry.to;
}
