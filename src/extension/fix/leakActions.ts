import * as vscode from 'vscode';
import { Command, InternalCommand } from '../contributions.js';
import type { EditorMarks } from '../marks/editorMarks.js';
import type { MarkedPlace } from '../marks/markedLines.js';
import type { FindingMark } from '../results/findingMarks.js';
import type { PythonFiles } from '../workspace/pythonFiles.js';
import { LEAK_CODE, LEAK_SOURCE, OUT_OF_MEMORY_CODE } from './leakDiagnostics.js';
import { SourceFixError, workspaceEdit } from './sourceFix.js';

/** Actions on a marked line: the fix of its finding, to ignore it, and what would have avoided its out of memory. */
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
    const findings = new Set<FindingMark>();
    for (let line = range.start.line + 1; line <= range.end.line + 1; line++) {
      const finding = this.marks.findingAt(document, line);
      if (finding !== undefined) findings.add(finding);
    }
    const isHere = ({ place }: { readonly place: MarkedPlace }): boolean =>
      place.line > range.start.line && place.line <= range.end.line + 1;
    const here = this.marks
      .holdersIn(document)
      .filter(isHere)
      .map(({ item }) => item);
    const failures = this.marks
      .askingIn(document)
      .filter(isHere)
      .flatMap(({ item }) => ('failure' in item ? [whatWouldHelp(item.failure.path, context)] : []));
    const diagnostics = context.diagnostics.filter(({ source, code }) => source === LEAK_SOURCE && code === LEAK_CODE);
    const actions = await Promise.all(
      [...findings].map(async (one) => [
        ...(await this.fixes(one)),
        ...(here.includes(one) ? [] : wayTo(one)),
        ignoring(one),
      ]),
    );
    return [...actions.flat().map((action) => Object.assign(action, { diagnostics })), ...failures];
  }

  /** The fix, which shows itself before it is made; or why it cannot be made any more. */
  private async fixes(finding: FindingMark): Promise<vscode.CodeAction[]> {
    const edit = finding.parts[0].finding.holder?.edit ?? null;
    if (edit === null) return [];
    const action = actionFor(vscode.l10n.t('Fix: {0}…', edit.title), Command.fixLeak, finding);
    try {
      await workspaceEdit(edit, this.files);
      action.isPreferred = finding.tone !== 'growing';
    } catch (error) {
      if (!(error instanceof SourceFixError)) throw error;
      action.disabled = { reason: error.message };
    }
    return [action];
  }
}

/** Leads to what other settings and changes would have made of a recorded failure. */
function whatWouldHelp(path: string, { diagnostics }: vscode.CodeActionContext): vscode.CodeAction {
  const title = vscode.l10n.t('Show What Would Help');
  const action = new vscode.CodeAction(title, vscode.CodeActionKind.QuickFix);
  action.command = { title, command: InternalCommand.showWhatIf, arguments: [path] };
  action.diagnostics = diagnostics.filter(({ source, code }) => source === LEAK_SOURCE && code === OUT_OF_MEMORY_CODE);
  return action;
}

function wayTo(finding: FindingMark): vscode.CodeAction[] {
  if (finding.parts[0].finding.holder === null || !finding.mapped) return [];
  return [actionFor(vscode.l10n.t('Go to the statement that holds the memory'), InternalCommand.openSource, finding)];
}

function ignoring(finding: FindingMark): vscode.CodeAction {
  return actionFor(vscode.l10n.t('Ignore this leak'), Command.ignoreLeak, finding);
}

function actionFor(title: string, command: string, { file, line }: FindingMark): vscode.CodeAction {
  const action = new vscode.CodeAction(title, vscode.CodeActionKind.QuickFix);
  action.command = { title, command, arguments: [{ file, line }] };
  return action;
}
