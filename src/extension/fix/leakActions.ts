import * as vscode from 'vscode';
import { Command, InternalCommand } from '../contributions.js';
import type { EditorMarks } from '../marks/editorMarks.js';
import type { LineMark } from '../results/lineMarks.js';
import { LEAK_CODE, LEAK_SOURCE } from './leakDiagnostics.js';

/** What can be done about a marked line: its fix, and to ignore it. */
export class LeakActions implements vscode.CodeActionProvider {
  static readonly kinds = [vscode.CodeActionKind.QuickFix];

  constructor(private readonly marks: EditorMarks) {}

  provideCodeActions(
    document: vscode.TextDocument,
    range: vscode.Range,
    context: vscode.CodeActionContext,
  ): vscode.CodeAction[] {
    const here = this.marks
      .leaksIn(document)
      .filter(({ place }) => range.start.line < place.line && place.line <= range.end.line + 1);
    return here.flatMap(({ said }) => {
      const diagnostics = context.diagnostics.filter(
        ({ source, code }) => source === LEAK_SOURCE && code === LEAK_CODE,
      );
      return [...fixActions(said), ignoreAction(said)].map((action) => Object.assign(action, { diagnostics }));
    });
  }
}

function fixActions(mark: LineMark): vscode.CodeAction[] {
  const edit = mark.parts[0].line.holder?.edit ?? null;
  if (edit === null) return [];
  const action = new vscode.CodeAction(edit.title, vscode.CodeActionKind.QuickFix);
  action.isPreferred = true;
  action.command = { title: edit.title, command: InternalCommand.fixLeak, arguments: [placeOf(mark)] };
  return [action];
}

function ignoreAction(mark: LineMark): vscode.CodeAction {
  const title = vscode.l10n.t('Ignore this leak');
  const action = new vscode.CodeAction(title, vscode.CodeActionKind.QuickFix);
  action.command = { title, command: Command.ignoreLeak, arguments: [placeOf(mark)] };
  return action;
}

function placeOf({ file, line }: LineMark): { file: string; line: number } {
  return { file, line };
}
