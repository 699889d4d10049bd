import * as vscode from 'vscode';
import type { HolderReport } from '../../core/report/report.js';
import { Listener } from '../disposer.js';
import type { SourcePlace } from '../workspace/openSource.js';
import type { PythonFiles } from '../workspace/pythonFiles.js';
import type { MarkedLines } from './markedLines.js';
import { fixOffset } from './trackedLine.js';

/** Whether a line, or the statement that holds its memory, was edited since it ran. Checks open documents only. */
export class SinceEdits extends Listener {
  /** An index of VS Code's list of documents. */
  private readonly open = new Map<string, vscode.TextDocument>();

  constructor(
    private readonly files: PythonFiles,
    private readonly lines: MarkedLines,
  ) {
    super();
    for (const document of vscode.workspace.textDocuments) this.open.set(document.uri.toString(), document);
    this.subscriptions = [
      vscode.workspace.onDidOpenTextDocument((document) => this.open.set(document.uri.toString(), document)),
      vscode.workspace.onDidCloseTextDocument(({ uri }) => this.open.delete(uri.toString())),
    ];
  }

  /** True if an open document no longer has the holder as it was when the mark was made. */
  isHolderEdited(holder: HolderReport | null): boolean {
    const document = holder === null ? undefined : this.documentOf(holder.file);
    if (holder === null || document === undefined) return false;
    // Requested in any case: from now on an edit of that line is reported.
    const isEdited = this.isLineEdited(holder);
    return holder.edit === null ? isEdited : fixOffset(holder.edit, document) === null;
  }

  /** True if an open document no longer has the line as it ran. */
  isLineEdited({ file, line }: SourcePlace): boolean {
    const document = this.documentOf(file);
    const place = document === undefined ? null : this.lines.place(document, line);
    return place !== null && place.edited && !place.otherVersion;
  }

  /** True if an open document is a different version and the text that ran is unavailable; null if none is open. */
  isOtherVersion({ file, line }: SourcePlace): boolean | null {
    const document = this.documentOf(file);
    return document === undefined ? null : this.lines.place(document, line)?.otherVersion === true;
  }

  isOpen(file: string): boolean {
    return this.documentOf(file) !== undefined;
  }

  private documentOf(file: string): vscode.TextDocument | undefined {
    const uri = this.files.uri(file);
    return uri === undefined ? undefined : this.open.get(uri.toString());
  }
}
