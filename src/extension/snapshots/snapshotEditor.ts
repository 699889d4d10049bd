import * as vscode from 'vscode';
import { SNAPSHOT_EDITOR } from '../contributions.js';
import { Listener } from '../disposer.js';
import type { SnapshotSession } from '../session.js';
import { sentenceOf } from '../text/fileSentence.js';
import type { Timelines } from '../timeline/timelines.js';
import { isPickle } from './pickleTabs.js';

/**
 * A snapshot as an editor: the timeline of its file. VS Code offers it for every pickle, but opens none with it. Only
 * files that Leakline has read as snapshots open here.
 */
export class SnapshotEditor extends Listener {
  /** Tabs of pickles that were opened before they were read. */
  private readonly waiting = new Set<vscode.Tab>();

  constructor(
    private readonly session: SnapshotSession,
    private readonly timelines: Timelines,
  ) {
    super();
    for (const { tabs } of vscode.window.tabGroups.all) for (const tab of tabs) void this.take(tab);
    this.subscriptions = [
      vscode.window.tabGroups.onDidChangeTabs(({ opened, closed }) => {
        for (const tab of closed) this.waiting.delete(tab);
        for (const tab of opened) void this.take(tab);
      }),
      session.onDidChange(() => {
        for (const tab of this.waiting) void this.take(tab);
      }),
    ];
  }

  async resolveCustomEditor({ uri }: vscode.CustomDocument, panel: vscode.WebviewPanel): Promise<void> {
    const page = this.timelines.render(uri.fsPath, panel);
    panel.onDidChangeViewState(() => page.refresh());
    panel.onDidDispose(() => page.dispose());
    try {
      await this.session.open(uri.fsPath);
      await this.session.reported();
      page.refresh();
    } catch (error) {
      page.dispose();
      panel.webview.html = sentencePage(sentenceOf(error));
    }
  }

  /** Shows a snapshot in place of the page for binary files. */
  private async take(tab: vscode.Tab): Promise<void> {
    const { input, group } = tab;
    if (!(input instanceof vscode.TabInputText) || !isPickle(input.uri)) return;
    const { fsPath } = input.uri;
    if (!this.isSnapshot(input.uri)) {
      if (this.waiting.has(tab)) return;
      this.waiting.add(tab);
      // No watcher finds a file from elsewhere that was dropped onto the editor.
      const isElsewhere = vscode.workspace.getWorkspaceFolder(input.uri) === undefined;
      if (isElsewhere) await this.session.open(fsPath).catch(() => this.session.forget(fsPath));
      return;
    }
    this.waiting.delete(tab);
    await vscode.commands.executeCommand('vscode.openWith', input.uri, SNAPSHOT_EDITOR, group.viewColumn);
    await vscode.window.tabGroups.close(tab);
  }

  private isSnapshot({ fsPath }: vscode.Uri): boolean {
    return [...this.session.entries].some(({ path, snapshots }) => path === fsPath && snapshots !== null);
  }
}

function sentencePage(sentence: string): string {
  const text = sentence.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
  return `<!DOCTYPE html><html><head><meta http-equiv="Content-Security-Policy" content="default-src 'none'"></head><body><p>${text}</p></body></html>`;
}
