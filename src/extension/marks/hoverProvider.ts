import * as vscode from 'vscode';
import type { EditorMarks } from './editorMarks.js';
import { keeperMarkdown } from './keeperText.js';
import { HOVER_COMMANDS, hoverMarkdown } from './markHover.js';
import { staleSentence } from './markText.js';

/** Tells the whole story of a marked line: what it leaks, and what it keeps of other lines. */
export class MarkHoverProvider implements vscode.HoverProvider {
  constructor(private readonly marks: EditorMarks) {}

  provideHover(document: vscode.TextDocument, position: vscode.Position): vscode.Hover | undefined {
    if (!this.marks.shown.hover) return undefined;
    const line = position.line + 1;
    const canOpen = (file: string): boolean => this.marks.canOpen(file);
    const stories = [
      ...this.marks
        .leaksIn(document)
        .filter(({ place }) => place.line === line)
        .map(({ said, place }) => hoverMarkdown(said, staleSentence(place, vscode.l10n), canOpen, vscode.l10n)),
      ...this.marks
        .keepersIn(document)
        .filter(({ place }) => place.line === line)
        .map(({ said, place }) => keeperMarkdown(said, staleSentence(place, vscode.l10n), canOpen, vscode.l10n)),
    ];
    if (stories.length === 0) return undefined;
    const text = new vscode.MarkdownString(stories.join('\n\n---\n\n'));
    text.isTrusted = { enabledCommands: HOVER_COMMANDS };
    return new vscode.Hover(text, document.lineAt(position.line).range);
  }
}
