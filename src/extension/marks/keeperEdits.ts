import * as vscode from 'vscode';
import type { HolderReport } from '../../core/report/report.js';
import { disposeAll, type Disposer } from '../disposer.js';
import { fixOffset } from '../fix/fixOffset.js';
import type { PythonFiles } from '../workspace/pythonFiles.js';
import type { MarkedLines } from './markedLines.js';

/** Tells whether the statement that keeps a line's memory was edited since. Looks at open documents only. */
export class KeeperEdits implements vscode.Disposable {
  /** VS Code has them as a list, which would be searched for every mark. */
  private readonly open = new Map<string, vscode.TextDocument>();
  private readonly subscriptions: readonly Disposer[];

  constructor(
    private readonly files: PythonFiles,
    private readonly lines: MarkedLines,
  ) {
    for (const document of vscode.workspace.textDocuments) this.open.set(document.uri.toString(), document);
    this.subscriptions = [
      vscode.workspace.onDidOpenTextDocument((document) => this.open.set(document.uri.toString(), document)),
      vscode.workspace.onDidCloseTextDocument(({ uri }) => this.open.delete(uri.toString())),
    ];
  }

  /** True if an open document no longer has the holder as it was when the mark was made. */
  isEdited(holder: HolderReport | null): boolean {
    if (holder === null) return false;
    const uri = this.files.uri(holder.file);
    const document = uri === undefined ? undefined : this.open.get(uri.toString());
    if (document === undefined) return false;
    // Asked for in any case: from now on an edit of that line is told of.
    const place = this.lines.place(document, holder.line);
    if (holder.edit !== null) return fixOffset(holder.edit, document) === null;
    return place !== null && place.edited && !place.otherVersion;
  }

  dispose(): void {
    disposeAll(this.subscriptions);
  }
}
