import * as vscode from 'vscode';
import { compareSentences } from '../../core/render/fixText.js';
import { View } from '../contributions.js';
import { Listener } from '../disposer.js';
import type { ResultsStore } from '../results/resultsStore.js';
import type { SnapshotSession } from '../session.js';
import type { EditorMarks } from '../marks/editorMarks.js';
import { snapshotName } from '../marks/markText.js';
import type { PythonFiles } from '../workspace/pythonFiles.js';
import type { SourcePlace } from '../workspace/openSource.js';
import { CompareTree, type CompareNode } from './compareTree.js';
import type { LeakGrouping } from './leakGrouping.js';
import type { LeakNode } from './leakNodes.js';
import { LeaksTree } from './leaksTree.js';
import { SnapshotsTree, type SnapshotsNode } from './snapshotsTree.js';

/** The three trees of the activity bar, with badge and titles. */
export class Views extends Listener {
  private readonly leaksTree: LeaksTree;
  private readonly compareTree: CompareTree;
  private readonly leaks: vscode.TreeView<LeakNode>;
  private readonly compare: vscode.TreeView<CompareNode>;
  private readonly snapshots: vscode.TreeView<SnapshotsNode>;
  /** Ends the progress that the views show; null while they show none. */
  private endProgress: (() => void) | null = null;

  constructor(
    private readonly session: SnapshotSession,
    private readonly store: ResultsStore,
    files: PythonFiles,
    grouping: LeakGrouping,
    private readonly marks: EditorMarks,
  ) {
    super();
    this.leaksTree = new LeaksTree(store, files, grouping, marks);
    this.compareTree = new CompareTree(store, files);
    const snapshotsTree = new SnapshotsTree(session, store);
    this.leaks = vscode.window.createTreeView(View.leaks, { treeDataProvider: this.leaksTree, showCollapseAll: true });
    this.compare = vscode.window.createTreeView(View.compare, {
      treeDataProvider: this.compareTree,
      showCollapseAll: true,
    });
    this.snapshots = vscode.window.createTreeView(View.snapshots, {
      treeDataProvider: snapshotsTree,
      showCollapseAll: true,
      canSelectMany: true,
    });
    this.subscriptions = [
      { dispose: () => this.endProgress?.() },
      this.leaks,
      this.compare,
      this.snapshots,
      this.leaksTree,
      this.compareTree,
      snapshotsTree,
      store.onDidChange(() => {
        this.refresh();
        this.showProgress();
      }),
      marks.onDidMove(() => this.refreshBadge()),
      session.onDidChange(() => this.showProgress()),
    ];
  }

  /** Rows of the Snapshots view that the user has selected. */
  get selectedSnapshots(): string[] {
    return this.snapshots.selection.flatMap((node) => (node.kind === 'snapshot' ? [node.path] : []));
  }

  /** Brings a line's row into view, with its stacks; in the comparison while there is one. */
  async reveal({ file, line }: SourcePlace): Promise<void> {
    const options = { select: true, focus: true, expand: 1 };
    const compared = this.store.comparison === null ? undefined : this.compareTree.find(file, line);
    if (compared !== undefined) {
      await this.compare.reveal(compared, options);
      return;
    }
    const row = this.leaksTree.find(file, line);
    if (row !== undefined) await this.leaks.reveal(row, options);
  }

  /** A progress bar while snapshots are searched and read. */
  private showProgress(): void {
    if (!this.session.reading) {
      this.endProgress?.();
      this.endProgress = null;
    } else if (this.endProgress === null) {
      const end = new Promise<void>((resolve) => {
        this.endProgress = resolve;
      });
      for (const viewId of [View.leaks, View.snapshots]) {
        void vscode.window.withProgress({ location: { viewId } }, () => end);
      }
    }
  }

  private refreshBadge(): void {
    const { length } = this.marks.leaks;
    const tooltip = length === 1 ? vscode.l10n.t('1 leak') : vscode.l10n.t('{0} leaks', length);
    this.leaks.badge = length === 0 ? undefined : { value: length, tooltip };
  }

  private refresh(): void {
    this.refreshBadge();
    const report = this.store.comparison?.report;
    this.compare.message = report === undefined ? '' : compareSentences(report).join(' ');
    this.compare.description =
      report === undefined ? '' : `${snapshotName(report.a.path)} → ${snapshotName(report.b.path)}`;
  }
}
