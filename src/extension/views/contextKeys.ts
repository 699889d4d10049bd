import * as vscode from 'vscode';
import { ContextKey } from '../contributions.js';
import type { ResultsStore } from '../results/resultsStore.js';
import { unmappedFiles } from '../workspace/recordedFolders.js';
import type { SnapshotSession } from '../session.js';

/** Keeps the keys that menus ask for. Only changes are told. */
export class ContextKeys implements vscode.Disposable {
  private readonly told = new Map<string, boolean | string>();
  private readonly subscriptions: vscode.Disposable[];

  constructor(session: SnapshotSession, store: ResultsStore) {
    const refresh = (): void => {
      const paths = store.result?.paths;
      this.tell(ContextKey.hasResults, store.result !== null);
      this.tell(ContextKey.state, this.state(session, store));
      this.tell(
        ContextKey.hasMarks,
        store.marks.some(({ mapped, tone }) => mapped && tone !== 'growing'),
      );
      this.tell(ContextKey.canCompare, session.ready.length > 1);
      this.tell(ContextKey.comparing, store.comparison !== null);
      this.tell(
        ContextKey.hasUnmapped,
        paths !== undefined && unmappedFiles(paths.unmapped).files.length + paths.ambiguous.length > 0,
      );
    };
    this.subscriptions = [session.onDidChange(refresh), store.onDidChange(refresh)];
    refresh();
  }

  /** What an empty view says. The rows of a view come a moment later: a view that will have some says nothing. */
  private state(session: SnapshotSession, store: ResultsStore): string {
    const before = this.told.get(ContextKey.state);
    if (session.reading) {
      if (before === 'calm' || before === 'found') return before;
      return [...session.entries].length === 0 ? 'searching' : 'reading';
    }
    if (session.cleared) return 'cleared';
    if (store.result === null) return 'empty';
    return store.findings.length + store.ignoredFindings.length > 0 ? 'found' : 'calm';
  }

  dispose(): void {
    for (const subscription of this.subscriptions) subscription.dispose();
  }

  private tell(key: string, value: boolean | string): void {
    if (this.told.get(key) === value) return;
    this.told.set(key, value);
    void vscode.commands.executeCommand('setContext', key, value);
  }
}
