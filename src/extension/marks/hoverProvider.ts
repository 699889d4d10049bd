import * as vscode from 'vscode';
import { staleSentence } from '../../core/present/presented.js';
import { LEAK_CODE, LEAK_SOURCE } from '../fix/leakDiagnostics.js';
import type { EditorMarks } from './editorMarks.js';
import { HOVER_COMMANDS, hoverMarkdown } from './hoverText.js';

/** One hover per marked line: for the holding statement, else for the allocating line. */
export class MarkHoverProvider implements vscode.HoverProvider {
  constructor(private readonly marks: EditorMarks) {}

  provideHover(document: vscode.TextDocument, position: vscode.Position): vscode.Hover | undefined {
    const { marks } = this;
    if (!marks.shown.hover) return undefined;
    const line = position.line + 1;
    const found = marks.markAt(document, line);
    if (found === undefined) return undefined;
    const { finding, mark, place } = found;
    const stale = staleSentence(place);
    const isInProblem = vscode.languages
      .getDiagnostics(document.uri)
      .some(({ source, code, range }) => source === LEAK_SOURCE && code === LEAK_CODE && range.start.line + 1 === line);
    const canOpen = (file: string): boolean => marks.canOpen(file);
    const text = new vscode.MarkdownString(hoverMarkdown(finding, { mark, stale, isInProblem, canOpen }));
    text.isTrusted = { enabledCommands: HOVER_COMMANDS };
    return new vscode.Hover(text, document.lineAt(position.line).range);
  }
}
