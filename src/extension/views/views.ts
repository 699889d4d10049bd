import * as vscode from 'vscode';
import { compareSentences } from '../../core/present/fixText.js';
import { View } from '../contributions.js';
import { Listener } from '../disposer.js';
import type { ResultsStore } from '../results/resultsStore.js';
import { isJudged, peaksToShow } from '../results/runOrder.js';
import type { SnapshotSession } from '../session.js';
import type { EditorMarks } from '../marks/editorMarks.js';
import { verdictSentence } from '../../core/present/runText.js';
import { snapshotName } from '../../core/present/shortText.js';
import { tCount } from '../../core/text/translate.js';
import type { PythonFiles } from '../workspace/pythonFiles.js';
import type { SourcePlace } from '../workspace/openSource.js';
import { CompareTree } from './compareTree.js';
import type { LeakGrouping } from './leakGrouping.js';
import type { LazyTree } from './lazyTree.js';
import { LeaksTree } from './leaksTree.js';
import { SnapshotsTree } from './snapshotsTree.js';

/** The views of the activity bar. They are there before their rows. */
export interface TreeViews {
  readonly leaks: LazyTree;
  readonly compare: LazyTree;
  readonly snapshots: LazyTree;
}

/** The three trees of the activity bar, with badge and titles. */
export class Views extends Listener {
  readonly leaksTree: LeaksTree;
  readonly compareTree: CompareTree;
  readonly snapshotsTree: SnapshotsTree;
  /** Ends the progress that the views show; null while they show none. */
  private endProgress: (() => void) | null = null;

  constructor(
    private readonly views: TreeViews,
    private readonly session: SnapshotSession,
    private readonly store: ResultsStore,
    files: PythonFiles,
    grouping: LeakGrouping,
    private readonly marks: EditorMarks,
  ) {
    super();
    this.leaksTree = new LeaksTree(store, files, grouping, marks);
    this.compareTree = new CompareTree(store, files);
    this.snapshotsTree = new SnapshotsTree(session, store);
    this.subscriptions = [
      { dispose: () => this.endProgress?.() },
      this.leaksTree,
      this.compareTree,
      this.snapshotsTree,
      this.leaksTree.onDidChangeTreeData(() => views.leaks.refresh()),
      this.compareTree.onDidChangeTreeData(() => views.compare.refresh()),
      this.snapshotsTree.onDidChangeTreeData(() => views.snapshots.refresh()),
      store.onDidChange(() => {
        this.refresh();
        this.showProgress();
      }),
      marks.onDidMove(() => this.refreshBadge()),
      session.onDidChange(() => this.showProgress()),
    ];
  }

  /** Brings a line's row into view, with its stacks; in the comparison while there is one. */
  async reveal({ file, line }: SourcePlace): Promise<void> {
    const options = { select: true, focus: true, expand: 1 };
    const compared = this.store.comparison === null ? undefined : this.compareTree.find(file, line);
    if (compared !== undefined) {
      await this.views.compare.view.reveal(compared, options);
      return;
    }
    const row = this.leaksTree.find(file, line);
    if (row !== undefined) await this.views.leaks.view.reveal(row, options);
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
    const tooltip = tCount(length, '1 leak', '{0} leaks');
    this.views.leaks.view.badge = length === 0 ? undefined : { value: length, tooltip };
  }

  private refresh(): void {
    this.refreshBadge();
    this.views.leaks.view.message = this.verdict();
    const report = this.store.comparison?.report;
    this.views.compare.view.message = report === undefined ? '' : compareSentences(report).join(' ');
    this.views.compare.view.description =
      report === undefined ? '' : `${snapshotName(report.a.path)} → ${snapshotName(report.b.path)}`;
  }

  /** What is said above the peak of a run without a finding; empty if the run has no verdict. */
  private verdict(): string {
    const { findings, ignoredFindings, result } = this.store;
    if (result === null || findings.length + ignoredFindings.length > 0) return '';
    const first = peaksToShow(result.report.runs).at(0);
    return first === undefined || first.failure !== null || !isJudged(first.run) ? '' : verdictSentence(first.run);
  }
}
