import * as vscode from 'vscode';
import type { ResultsStore } from '../results/resultsStore.js';
import type { PythonFiles } from '../workspace/pythonFiles.js';
import { HOVER_COMMANDS, hoverMarkdown } from './markHover.js';
import type { MarkedLines } from './markedLines.js';
import type { MarkSwitch } from './markSwitch.js';

/** Tells the whole story of a marked line. */
export class MarkHoverProvider implements vscode.HoverProvider {
  constructor(
    private readonly store: ResultsStore,
    private readonly files: PythonFiles,
    private readonly marks: MarkSwitch,
    private readonly lines: MarkedLines,
  ) {}

  provideHover(document: vscode.TextDocument, position: vscode.Position): vscode.Hover | undefined {
    if (!this.marks.shown.hover) return undefined;
    const path = this.files.path(document.uri);
    if (this.files.uri(path)?.toString() !== document.uri.toString()) return undefined;
    const here = position.line + 1;
    const mark = this.store.marksOf(path).find(({ line }) => this.lines.place(document, line)?.line === here);
    if (mark === undefined) return undefined;
    const canOpen = (file: string): boolean => this.files.uri(file) !== undefined;
    const text = new vscode.MarkdownString(hoverMarkdown(mark, canOpen, vscode.l10n));
    text.isTrusted = { enabledCommands: HOVER_COMMANDS };
    return new vscode.Hover(text, document.lineAt(position.line).range);
  }
}
