import * as vscode from 'vscode';
import type { EditorMarks } from './editorMarks.js';
import { HOVER_COMMANDS, hoverMarkdown } from './markHover.js';
import { staleSentence } from './markText.js';

/** Tells the whole story of a marked line. */
export class MarkHoverProvider implements vscode.HoverProvider {
  constructor(private readonly marks: EditorMarks) {}

  provideHover(document: vscode.TextDocument, position: vscode.Position): vscode.Hover | undefined {
    if (!this.marks.shown.hover) return undefined;
    const found = this.marks.leaksIn(document).find(({ place }) => place.line === position.line + 1);
    if (found === undefined) return undefined;
    const { said, place } = found;
    const stale = staleSentence(place, vscode.l10n);
    const markdown = hoverMarkdown(said, stale, (file) => this.marks.canOpen(file), vscode.l10n);
    const text = new vscode.MarkdownString(markdown);
    text.isTrusted = { enabledCommands: HOVER_COMMANDS };
    return new vscode.Hover(text, document.lineAt(position.line).range);
  }
}
