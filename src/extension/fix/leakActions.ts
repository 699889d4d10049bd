import * as vscode from 'vscode';
import { Command } from '../contributions.js';
import type { EditorMarks } from '../marks/editorMarks.js';
import type { LineMark } from '../results/lineMarks.js';
import type { PythonFiles } from '../workspace/pythonFiles.js';
import { LEAK_CODE, LEAK_SOURCE } from './leakDiagnostics.js';
import { SourceFixError, workspaceEdit } from './sourceFix.js';

/** What can be done about a marked line: its fix, and to ignore it. */
export class LeakActions implements vscode.CodeActionProvider {
  static readonly kinds = [vscode.CodeActionKind.QuickFix];

  constructor(
    private readonly marks: EditorMarks,
    private readonly files: PythonFiles,
  ) {}

  async provideCodeActions(
    document: vscode.TextDocument,
    range: vscode.Range,
    context: vscode.CodeActionContext,
  ): Promise<vscode.CodeAction[]> {
    const here = this.marks
      .leaksIn(document)
      .filter(({ place }) => range.start.line < place.line && place.line <= range.end.line + 1);
    const diagnostics = context.diagnostics.filter(({ source, code }) => source === LEAK_SOURCE && code === LEAK_CODE);
    const actions = await Promise.all(
      here.map(async ({ said }) => [...(await this.fixActions(said)), ignoreAction(said)]),
    );
    return actions.flat().map((action) => Object.assign(action, { diagnostics }));
  }

  /** The fix with its edit, so that it can be looked at before it is made; or why it cannot be made any more. */
  private async fixActions(mark: LineMark): Promise<vscode.CodeAction[]> {
    const edit = mark.parts[0].line.holder?.edit ?? null;
    if (edit === null) return [];
    const action = new vscode.CodeAction(edit.title, vscode.CodeActionKind.QuickFix);
    try {
      action.edit = await workspaceEdit(edit, this.files);
      action.isPreferred = true;
    } catch (error) {
      if (!(error instanceof SourceFixError)) throw error;
      action.disabled = { reason: error.message };
    }
    return [action];
  }
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
