import * as vscode from 'vscode';
import { ContextKey } from '../contributions.js';
import { Listener } from '../disposer.js';
import type { RunningPrograms } from '../recording/runningPrograms.js';
import { isInEditor } from '../results/lineMarks.js';
import type { ResultsStore } from '../results/resultsStore.js';
import { unmappedFiles } from '../workspace/recordedFolders.js';
import type { SnapshotSession } from '../session.js';

/** Sets the context keys of menus when they change. */
export class ContextKeys extends Listener {
  private readonly values = new Map<string, boolean | string>();

  constructor(session: SnapshotSession, store: ResultsStore, running: RunningPrograms) {
    super();
    const refresh = (): void => {
      const paths = store.result?.paths;
      this.set(ContextKey.hasResults, store.result !== null);
      this.set(ContextKey.hasAsking, store.asking.length > 0);
      this.set(ContextKey.state, this.state(session, store));
      this.set(
        ContextKey.hasMarks,
        store.marks.some((mark) => mark.mapped && isInEditor(mark)),
      );
      this.set(ContextKey.canCompare, session.ready.length > 1);
      this.set(ContextKey.comparing, store.comparison !== null);
      this.set(ContextKey.recording, running.areRecorded);
      this.set(
        ContextKey.hasUnmapped,
        paths !== undefined && unmappedFiles(paths.unmapped).files.length + paths.ambiguous.length > 0,
      );
    };
    this.subscriptions = [session.onDidChange(refresh), store.onDidChange(refresh), running.onDidChange(refresh)];
    refresh();
  }

  /** The state that selects an empty view's text. A view whose rows are about to appear has none. */
  private state(session: SnapshotSession, store: ResultsStore): string {
    const before = this.values.get(ContextKey.state);
    if (session.reading) {
      if (before === 'calm' || before === 'found') return before;
      return [...session.entries].length === 0 ? 'searching' : 'reading';
    }
    if (session.cleared) return 'cleared';
    if (store.result === null) return session.ready.length === 0 ? 'empty' : 'reading';
    return store.findings.length + store.ignoredFindings.length > 0 ? 'found' : 'calm';
  }

  private set(key: string, value: boolean | string): void {
    if (this.values.get(key) === value) return;
    this.values.set(key, value);
    void vscode.commands.executeCommand('setContext', key, value);
  }
}
