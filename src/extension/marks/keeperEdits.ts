import * as vscode from 'vscode';
import type { HolderReport } from '../../core/report/report.js';
import { fixOffset } from '../fix/fixOffset.js';
import type { PythonFiles } from '../workspace/pythonFiles.js';
import type { MarkedLines } from './markedLines.js';

/** Tells whether the statement that keeps a line's memory was edited since. Looks at open documents only. */
export class KeeperEdits {
  constructor(
    private readonly files: PythonFiles,
    private readonly lines: MarkedLines,
  ) {}

  /** True if an open document no longer has the holder as it was when the mark was made. */
  isEdited(holder: HolderReport | null): boolean {
    if (holder === null) return false;
    const uri = this.files.uri(holder.file)?.toString();
    if (uri === undefined) return false;
    const document = vscode.workspace.textDocuments.find((one) => one.uri.toString() === uri);
    if (document === undefined) return false;
    if (holder.edit !== null) return fixOffset(holder.edit, document) === null;
    const place = this.lines.place(document, holder.line);
    return place !== null && place.edited && !place.otherVersion;
  }
}
