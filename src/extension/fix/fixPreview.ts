import * as vscode from 'vscode';
import type { SourceEdit } from '../../core/report/report.js';
import { visibleText } from '../../core/text/plainText.js';
import { Command, ContextKey, FIX_SCHEME } from '../contributions.js';
import { Listener } from '../disposer.js';
import type { FindingMark } from '../results/findingMarks.js';
import { basename } from '../../core/text/pathText.js';
import type { PythonFiles } from '../workspace/pythonFiles.js';
import { workspaceEdit } from './sourceFix.js';

/** Shows a fix as a diff before it is applied, by a command of that editor or by its notification. */
export class FixPreview extends Listener implements vscode.TextDocumentContentProvider {
  private readonly changedEmitter = new vscode.EventEmitter<vscode.Uri>();
  private pending: { finding: FindingMark; edit: SourceEdit; text: string } | null = null;

  readonly onDidChange = this.changedEmitter.event;

  constructor(private readonly files: PythonFiles) {
    super();
    this.subscriptions = [
      this.changedEmitter,
      vscode.workspace.registerTextDocumentContentProvider(FIX_SCHEME, this),
      vscode.window.tabGroups.onDidChangeTabs(({ closed }) => {
        if (closed.some((tab) => isPreview(tab))) this.forget();
      }),
    ];
  }

  provideTextDocumentContent(): string {
    return this.pending?.text ?? '';
  }

  /** @returns false if the finding has no edit @throws SourceFixError if the source differs */
  async show(finding: FindingMark): Promise<boolean> {
    const edit = finding.parts[0].finding.holder?.edit ?? null;
    if (edit === null) return false;
    const [[uri, changes]] = (await workspaceEdit(edit, this.files)).entries();
    const document = await vscode.workspace.openTextDocument(uri);
    const preview = uri.with({ scheme: FIX_SCHEME, fragment: '' });
    this.pending = { finding, edit, text: changedText(document, changes) };
    this.changedEmitter.fire(preview);
    void vscode.commands.executeCommand('setContext', ContextKey.fixPreview, true);
    const title = vscode.l10n.t('Fix: {0} ({1})', edit.title, basename(uri.path));
    await vscode.commands.executeCommand('vscode.diff', uri, preview, title, { preview: true });
    void this.ask(finding, edit.title);
    return true;
  }

  /** The finding whose fix is shown. @throws Error without one */
  get shown(): FindingMark {
    return this.present.finding;
  }

  /** Applies the shown change, and shows its place. The file is not saved. @returns the finding @throws Error */
  async apply(): Promise<FindingMark> {
    const { finding, edit } = this.present;
    const change = await workspaceEdit(edit, this.files);
    await this.close();
    if (!(await vscode.workspace.applyEdit(change))) throw new Error(vscode.l10n.t('The fix could not be applied.'));
    const [[uri, [first]]] = change.entries();
    const editor = await vscode.window.showTextDocument(uri);
    editor.selection = new vscode.Selection(first.range.start, first.range.start);
    editor.revealRange(first.range, vscode.TextEditorRevealType.InCenterIfOutsideViewport);
    return finding;
  }

  private get present(): NonNullable<typeof this.pending> {
    if (this.pending === null) throw new Error(vscode.l10n.t('No fix is shown: click Fix… first.'));
    return this.pending;
  }

  private async ask(finding: FindingMark, title: string): Promise<void> {
    const record = vscode.l10n.t('Apply Fix and Record Again');
    const apply = vscode.l10n.t('Apply Fix');
    const choice = await vscode.window.showInformationMessage(
      vscode.l10n.t('Fix: {0}', visibleText(title)),
      record,
      apply,
    );
    // The editor of the fix may be closed by now, or show another one.
    if (choice === undefined || this.pending?.finding !== finding) return;
    await vscode.commands.executeCommand(choice === record ? Command.applyFixAndRecord : Command.applyFix);
  }

  private async close(): Promise<void> {
    const tabs = vscode.window.tabGroups.all.flatMap((group) => group.tabs.filter(isPreview));
    this.forget();
    await vscode.window.tabGroups.close(tabs);
  }

  private forget(): void {
    this.pending = null;
    void vscode.commands.executeCommand('setContext', ContextKey.fixPreview, false);
  }
}

function isPreview({ input }: vscode.Tab): boolean {
  return input instanceof vscode.TabInputTextDiff && input.modified.scheme === FIX_SCHEME;
}

/** A text after edits, which do not overlap. */
function changedText(document: vscode.TextDocument, changes: readonly vscode.TextEdit[]): string {
  const text = document.getText();
  return [...changes]
    .sort((a, b) => b.range.start.compareTo(a.range.start))
    .reduce(
      (all, { range, newText }) =>
        all.slice(0, document.offsetAt(range.start)) + newText + all.slice(document.offsetAt(range.end)),
      text,
    );
}
