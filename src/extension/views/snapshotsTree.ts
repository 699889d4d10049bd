import * as vscode from 'vscode';
import type { Bytes } from '../../core/model/units.js';
import { runsByJob } from '../../core/report/ranks.js';
import { byteText } from '../../core/text/numberText.js';
import { sparkline } from '../../core/text/sparkline.js';
import { outOfMemoryTexts } from '../../core/present/failed.js';
import { snapshotsText } from '../../core/present/words.js';
import { liveBytes } from '../../core/report/snapshotReport.js';
import {
  cycleSentence,
  cycleTexts,
  trendPeakTexts,
  trendSentence,
  trendSeriesText,
} from '../../core/present/trendAndCycleText.js';
import { actionTexts } from '../../core/present/actions.js';
import { listed } from '../../core/present/presented.js';
import type { CycleReport, RunReport, SnapshotReport, TrendReport } from '../../core/report/report.js';
import { RowKind, Command } from '../contributions.js';
import { Listener } from '../disposer.js';
import type { IntakeEntry } from '../intake/intakeEntry.js';
import type { ResultsStore } from '../results/resultsStore.js';
import { newestFirst } from '../results/runOrder.js';
import { runNames, snapshotText } from '../results/runText.js';
import type { SnapshotSession } from '../session.js';
import { sentenceWithout } from '../text/fileSentence.js';
import { basename, dirname } from '../../core/text/pathText.js';
import { folderName } from '../workspace/folderName.js';

/** With more snapshots than this, runs are folded at first. */
const MAX_UNFOLDED = 40;
/** Characters of a rank's sparkline. */
const STRIP_WIDTH = 8;

export interface RunNode {
  readonly kind: 'run';
  readonly unfolded: boolean;
  readonly name: string;
  readonly run: RunReport;
  /** Maximum of live bytes of any rank of its job; null without other ranks. */
  readonly mostLive: Bytes | null;
}
interface SnapshotNode {
  readonly kind: 'snapshot';
  readonly path: string;
  readonly snapshot: SnapshotReport;
  /** False for one taken when the process ended. */
  readonly isJudged: boolean;
}
/** A file that is being read or cannot be. */
interface FileNode {
  readonly kind: 'file';
  readonly path: string;
  readonly entry: IntakeEntry;
}
/** A warning or a hint, without children. */
interface NoteNode {
  readonly kind: 'note';
  readonly icon: 'warning' | 'info';
  readonly message: string;
}
/** Features that are off without workspace trust; a click leads to trusting it. */
interface RestrictionNode {
  readonly kind: 'restriction';
}
/** Amounts over time, without lines. */
interface TrendNode {
  readonly kind: 'trend';
  readonly path: string;
  readonly trend: TrendReport;
}
/** Reference cycles that hold tensors. */
interface CyclesNode {
  readonly kind: 'cycles';
  readonly path: string;
  readonly cycles: CycleReport;
}
export type SnapshotsNode = RunNode | SnapshotNode | TrendNode | CyclesNode | FileNode | NoteNode | RestrictionNode;

/** Runs and their snapshots, with warnings; and files that could not be read, with the reason. */
export class SnapshotsTree extends Listener implements vscode.TreeDataProvider<SnapshotsNode> {
  private readonly changedEmitter = new vscode.EventEmitter<void>();

  readonly onDidChangeTreeData = this.changedEmitter.event;

  constructor(
    private readonly session: SnapshotSession,
    private readonly store: ResultsStore,
  ) {
    super();
    const changed = (): void => this.changedEmitter.fire();
    this.subscriptions = [
      session.onDidChange(changed),
      store.onDidChange(changed),
      vscode.workspace.onDidGrantWorkspaceTrust(changed),
      this.changedEmitter,
    ];
  }

  getChildren(node?: SnapshotsNode): SnapshotsNode[] {
    switch (node?.kind) {
      case undefined: {
        const rows = [...this.runs(), ...this.trends(), ...this.cycles(), ...this.files(), ...this.notes()];
        // The empty view shows this text itself.
        return rows.length === 0 || vscode.workspace.isTrusted ? rows : [...rows, { kind: 'restriction' }];
      }
      case 'run':
        return [
          ...notes('info', [...node.run.process.map(messageOf), ...outOfMemoryTexts(node.run.outOfMemory)]),
          ...node.run.snapshots.map((snapshot) => snapshotNode(snapshot, true)),
          ...node.run.atExit.map((snapshot) => snapshotNode(snapshot, false)),
        ];
      case 'snapshot':
        return notes('warning', node.snapshot.warnings.map(messageOf));
      case 'trend': {
        const { warnings, series } = node.trend;
        return [
          ...notes('warning', warnings.map(messageOf)),
          ...notes('info', [...trendPeakTexts(node.trend), ...series.map(trendSeriesText)]),
        ];
      }
      case 'cycles':
        return notes('info', cycleTexts(node.cycles));
      default:
        return [];
    }
  }

  getTreeItem(node: SnapshotsNode): vscode.TreeItem {
    switch (node.kind) {
      case 'run':
        return runItem(node);
      case 'snapshot':
        return snapshotItem(node);
      case 'trend':
        return trendItem(node);
      case 'cycles':
        return cyclesItem(node);
      case 'file':
        return fileItem(node);
      case 'note':
        return noteItem(node);
      case 'restriction':
        return restrictionItem();
    }
  }

  private runs(): RunNode[] {
    const runs = this.store.result?.report.runs ?? [];
    const names = runNames(runs, folderName);
    const unfolded = runs.reduce((sum, { snapshots }) => sum + snapshots.length, 0) <= MAX_UNFOLDED;
    const mostOf = new Map([...runsByJob(runs)].map(([job, ranks]) => [job, mostLive(ranks)]));
    return newestFirst(runs).map((run) => ({
      kind: 'run',
      unfolded,
      run,
      name: names.get(run.id) ?? run.id,
      mostLive: run.job === null ? null : (mostOf.get(run.job) ?? null),
    }));
  }

  private trends(): TrendNode[] {
    return (this.store.result?.report.trends ?? []).map((trend) => ({ kind: 'trend', path: trend.path, trend }));
  }

  private cycles(): CyclesNode[] {
    return (this.store.result?.report.cycles ?? []).map((cycles) => ({ kind: 'cycles', path: cycles.path, cycles }));
  }

  private files(): FileNode[] {
    const open = [...this.session.entries].filter(({ phase }) => phase !== 'ready');
    const paths = open.some(({ phase }) => phase === 'rejected') ? this.session.ready.map(({ path }) => path) : [];
    const folders = new Set(paths.map(dirname));
    const names = new Set(paths.map(uncounted));
    return open
      .filter((entry) => isShown(entry, folders, names))
      .map((entry) => ({ kind: 'file', path: entry.path, entry }));
  }

  private notes(): NoteNode[] {
    const { problem } = this.session;
    const report = this.store.result?.report;
    const ranks = [...(report?.missing ?? []), ...(report?.behind ?? []), ...(report?.ranks ?? [])];
    const messages = [...(problem === null ? [] : [problem]), ...this.session.limits];
    return [...notes('info', ranks.map(messageOf)), ...notes('warning', messages)];
  }
}

function snapshotNode(snapshot: SnapshotReport, isJudged: boolean): SnapshotNode {
  return { kind: 'snapshot', path: snapshot.path, snapshot, isJudged };
}

function notes(icon: NoteNode['icon'], messages: readonly string[]): NoteNode[] {
  return messages.map((message) => ({ kind: 'note', icon, message }));
}

function messageOf({ message }: { readonly message: string }): string {
  return message;
}

function mostLive(ranks: readonly RunReport[]): Bytes | null {
  return ranks.length < 2 ? null : Math.max(0, ...ranks.flatMap(({ snapshots }) => snapshots.map(liveBytes)));
}

/** A path without its numbers: the dumps of a run differ in them only. */
function uncounted(path: string): string {
  return path.replace(/\d+/g, '#');
}

/** A file without a snapshot is shown only beside snapshots if it looks like a damaged one. */
function isShown(entry: IntakeEntry, folders: ReadonlySet<string>, names: ReadonlySet<string>): boolean {
  switch (entry.phase) {
    case 'reading':
    case 'truncated':
      return true;
    case 'rejected':
      if (entry.origin === 'opened' || entry.path.endsWith('.lkd') || entry.problem?.reason === 'pointer') return true;
      return entry.problem?.reason === 'notASnapshot'
        ? names.has(uncounted(entry.path))
        : folders.has(dirname(entry.path));
    default:
      return false;
  }
}

function runItem({ run, name, unfolded, mostLive: most }: RunNode): vscode.TreeItem {
  const { Expanded, Collapsed } = vscode.TreeItemCollapsibleState;
  const item = new vscode.TreeItem(name, unfolded ? Expanded : Collapsed);
  item.id = `run:${run.id}`;
  // One scale for all ranks of a job: the fuller one stands out.
  const strip = most === null ? '' : `${sparkline(run.snapshots.map(liveBytes), STRIP_WIDTH, most)} `;
  item.description = strip + snapshotsText(run.snapshots.length);
  item.iconPath = new vscode.ThemeIcon('run-all');
  item.contextValue = RowKind.run;
  return item;
}

function snapshotItem({ path, snapshot, isJudged }: SnapshotNode): vscode.TreeItem {
  const { warnings } = snapshot;
  const item = new vscode.TreeItem(
    basename(path),
    warnings.length > 0 ? vscode.TreeItemCollapsibleState.Collapsed : vscode.TreeItemCollapsibleState.None,
  );
  item.id = `snapshot:${path}`;
  item.description = listed(isJudged ? null : vscode.l10n.t('at exit, not judged'), snapshotText(snapshot));
  // An icon on each row would leave no width for the bytes.
  if (warnings.length > 0) item.iconPath = new vscode.ThemeIcon('warning');
  item.tooltip = [
    path,
    item.description,
    ...(isJudged ? [] : [vscode.l10n.t('The end of the process releases memory, leaked or not.')]),
    ...warnings.map(messageOf),
  ].join('\n');
  item.contextValue = RowKind.snapshot;
  item.command = showCommand(path);
  return item;
}

function trendItem({ path, trend }: TrendNode): vscode.TreeItem {
  const item = new vscode.TreeItem(basename(path), vscode.TreeItemCollapsibleState.Collapsed);
  const live = trend.series.find(({ name }) => name === 'allocated' || name === 'used');
  item.id = `trend:${path}`;
  item.description =
    live === undefined ? trendSentence(trend) : `${byteText(live.firstBytes)} → ${byteText(live.lastBytes)}`;
  item.iconPath = new vscode.ThemeIcon('graph-line');
  item.tooltip = [path, trendSentence(trend), ...trend.series.map(trendSeriesText)].join('\n');
  item.contextValue = RowKind.problem;
  item.command = showCommand(path);
  return item;
}

function showCommand(path: string): vscode.Command {
  return {
    title: actionTexts().timeline,
    command: Command.showSnapshotOnTimeline,
    arguments: [{ path }],
  };
}

function cyclesItem({ path, cycles }: CyclesNode): vscode.TreeItem {
  const item = new vscode.TreeItem(basename(path), vscode.TreeItemCollapsibleState.Collapsed);
  item.id = `cycles:${path}`;
  item.description = cycleSentence(cycles);
  item.iconPath = new vscode.ThemeIcon('sync');
  item.tooltip = [path, item.description].join('\n');
  item.contextValue = RowKind.problem;
  return item;
}

function fileItem({ path, entry }: FileNode): vscode.TreeItem {
  const item = new vscode.TreeItem(basename(path));
  item.id = `file:${path}`;
  item.contextValue = RowKind.problem;
  if (entry.phase === 'reading') {
    item.iconPath = new vscode.ThemeIcon('loading~spin');
    item.description = vscode.l10n.t('reading, {0} %', Math.floor(entry.fraction * 100));
  } else {
    item.iconPath = new vscode.ThemeIcon(entry.phase === 'truncated' ? 'watch' : 'error');
    item.description = sentenceWithout(path, entry.problem?.message ?? '');
  }
  item.tooltip = [path, item.description].join('\n');
  return item;
}

function restrictionItem(): vscode.TreeItem {
  const item = new vscode.TreeItem(vscode.l10n.t('Restricted Mode'));
  item.description = vscode.l10n.t('recording and some settings are off');
  item.tooltip = vscode.l10n.t(
    "Restricted Mode: recording is off, and this workspace's settings for reading and recording are ignored.",
  );
  item.iconPath = new vscode.ThemeIcon('shield');
  item.command = { title: vscode.l10n.t('Manage Workspace Trust'), command: 'workbench.trust.manage' };
  return item;
}

function noteItem({ icon, message }: NoteNode): vscode.TreeItem {
  const item = new vscode.TreeItem(message);
  item.iconPath = new vscode.ThemeIcon(icon);
  item.tooltip = message;
  return item;
}
