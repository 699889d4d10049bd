import * as vscode from 'vscode';
import type { Bytes } from '../../core/model/units.js';
import { runsByJob } from '../../core/report/ranks/ranks.js';
import { byteText } from '../../core/text/numberText.js';
import { sparkline } from '../../core/text/sparkline.js';
import { trendScale } from '../../core/present/trendScale.js';
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
import { actionTexts, listed } from '../../core/present/presented.js';
import type { CycleReport, RunReport, SnapshotReport, TrendReport } from '../../core/report/report.js';
import { RowKind, Command } from '../contributions.js';
import type { IntakeEntry } from '../intake/intakeEntry.js';
import type { ResultsStore } from '../results/resultsStore.js';
import { newestFirst } from '../results/runOrder.js';
import { runNames, snapshotText } from '../results/runText.js';
import type { SnapshotSession } from '../session.js';
import { sentenceWithout } from '../text/fileSentence.js';
import { basename, dirname } from '../../core/text/pathText.js';
import { folderName } from '../workspace/folderName.js';
import { itemOf, rowOf, RowTree, type Row } from './rows.js';

/** Maximum number of snapshots with which runs are expanded at first. */
const MAX_UNFOLDED = 40;
/** Characters of a rank's sparkline. */
const STRIP_WIDTH = 8;

/** Runs and their snapshots, with warnings; and files that could not be read, with the reason. */
export class SnapshotsTree extends RowTree {
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

  protected override roots(): Row[] {
    const report = this.store.result?.report;
    const rows = [
      ...this.runs(),
      ...(report?.trends ?? []).map(trendRow),
      ...(report?.cycles ?? []).map(cyclesRow),
      ...this.unread().map(fileRow),
      ...this.notes(),
    ];
    // The empty view shows this text itself.
    return rows.length === 0 || vscode.workspace.isTrusted ? rows : [...rows, rowOf(null, restrictionItem)];
  }

  private runs(): Row[] {
    const runs = this.store.result?.report.runs ?? [];
    const names = runNames(runs, folderName);
    // Also those that are not read yet: VS Code keeps a row as it was first shown.
    const known = [...this.session.entries].filter(({ phase }) => phase !== 'rejected');
    const unfolded = known.reduce((sum, { snapshots }) => sum + (snapshots?.length ?? 1), 0) <= MAX_UNFOLDED;
    const mostOf = new Map([...runsByJob(runs)].map(([job, ranks]) => [job, mostLive(ranks)]));
    return newestFirst(runs).map((run) => {
      const max = run.job === null ? null : (mostOf.get(run.job) ?? null);
      return rowOf(
        null,
        () => runItem(run, names.get(run.id) ?? run.id, unfolded, max),
        (row) => [
          ...noteRows(row, 'info', [...run.process.map(messageOf), ...outOfMemoryTexts(run.outOfMemory)]),
          ...run.snapshots.map((snapshot) => snapshotRow(row, snapshot, true)),
          ...run.atExit.map((snapshot) => snapshotRow(row, snapshot, false)),
        ],
        { run },
      );
    });
  }

  /** Files that are being read or cannot be. */
  private unread(): IntakeEntry[] {
    const open = [...this.session.entries].filter(({ phase }) => phase !== 'ready');
    const paths = open.some(({ phase }) => phase === 'rejected') ? this.session.ready.map(({ path }) => path) : [];
    const folders = new Set(paths.map(dirname));
    const names = new Set(paths.map(uncounted));
    return open.filter((entry) => isShown(entry, folders, names));
  }

  private notes(): Row[] {
    const { problem } = this.session;
    const report = this.store.result?.report;
    const ranks = [...(report?.missing ?? []), ...(report?.behind ?? []), ...(report?.ranks ?? [])];
    const messages = [...(problem === null ? [] : [problem]), ...this.session.limits];
    return [...noteRows(null, 'info', ranks.map(messageOf)), ...noteRows(null, 'warning', messages)];
  }
}

/** Warnings or hints, without rows below. */
function noteRows(parent: Row | null, icon: 'warning' | 'info', messages: readonly string[]): Row[] {
  return messages.map((message) => rowOf(parent, () => itemOf(message, null, { icon, tooltip: message })));
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

/** @param max maximum live bytes of any rank of its job; null without other ranks */
function runItem(run: RunReport, name: string, unfolded: boolean, max: Bytes | null): vscode.TreeItem {
  // One scale for all ranks of a job: the fuller one stands out.
  const strip =
    max === null ? '' : `${sparkline(run.snapshots.map(liveBytes), STRIP_WIDTH, { ...trendScale(run), max })} `;
  return itemOf(name, unfolded, {
    id: `run:${run.id}`,
    description: strip + snapshotsText(run.snapshots.length),
    icon: 'run-all',
    contextValue: RowKind.run,
  });
}

/** @param isJudged false for one taken when the process ended */
function snapshotRow(parent: Row, snapshot: SnapshotReport, isJudged: boolean): Row {
  const { path } = snapshot;
  const warnings = snapshot.warnings.map(messageOf);
  const description = listed(isJudged ? null : vscode.l10n.t('at exit, not judged'), snapshotText(snapshot));
  const end = isJudged ? [] : [vscode.l10n.t('The end of the process releases memory, leaked or not.')];
  const item = (): vscode.TreeItem =>
    itemOf(basename(path), warnings.length > 0 ? false : null, {
      id: `snapshot:${path}`,
      description,
      // An icon on each row would leave no width for the bytes.
      icon: warnings.length > 0 ? 'warning' : undefined,
      tooltip: [path, description, ...end, ...warnings].join('\n'),
      contextValue: RowKind.snapshot,
      command: showCommand(path),
    });
  return rowOf(parent, item, (row) => noteRows(row, 'warning', warnings), { path });
}

/** Amounts over time, without lines. */
function trendRow(trend: TrendReport): Row {
  const { path, series, warnings } = trend;
  const live = series.find(({ name }) => name === 'allocated' || name === 'used');
  const item = (): vscode.TreeItem =>
    itemOf(basename(path), false, {
      id: `trend:${path}`,
      description:
        live === undefined ? trendSentence(trend) : `${byteText(live.firstBytes)} → ${byteText(live.lastBytes)}`,
      icon: 'graph-line',
      tooltip: [path, trendSentence(trend), ...series.map(trendSeriesText)].join('\n'),
      contextValue: RowKind.problem,
      command: showCommand(path),
    });
  const children = (row: Row): Row[] => [
    ...noteRows(row, 'warning', warnings.map(messageOf)),
    ...noteRows(row, 'info', [...trendPeakTexts(trend), ...series.map(trendSeriesText)]),
  ];
  return rowOf(null, item, children, { path });
}

function showCommand(path: string): vscode.Command {
  return {
    title: actionTexts().timeline,
    command: Command.showSnapshotOnTimeline,
    arguments: [{ path }],
  };
}

/** Reference cycles that hold tensors. */
function cyclesRow(cycles: CycleReport): Row {
  const { path } = cycles;
  const description = cycleSentence(cycles);
  const shown = { id: `cycles:${path}`, description, icon: 'sync', tooltip: [path, description].join('\n') };
  const item = (): vscode.TreeItem => itemOf(basename(path), false, { ...shown, contextValue: RowKind.problem });
  return rowOf(null, item, (row) => noteRows(row, 'info', cycleTexts(cycles)), { path });
}

function fileRow({ path, phase, fraction, problem }: IntakeEntry): Row {
  const isReading = phase === 'reading';
  const description = isReading
    ? vscode.l10n.t('reading, {0} %', Math.floor(fraction * 100))
    : sentenceWithout(path, problem?.message ?? '');
  const item = (): vscode.TreeItem =>
    itemOf(basename(path), null, {
      id: `file:${path}`,
      contextValue: RowKind.problem,
      icon: isReading ? 'loading~spin' : phase === 'truncated' ? 'watch' : 'error',
      description,
      tooltip: [path, description].join('\n'),
    });
  return rowOf(null, item, undefined, { path });
}

/** Features that are off without workspace trust; a click leads to trusting it. */
function restrictionItem(): vscode.TreeItem {
  return itemOf(vscode.l10n.t('Restricted Mode'), null, {
    description: vscode.l10n.t('recording and some settings are off'),
    tooltip: vscode.l10n.t(
      "Restricted Mode: recording is off, and this workspace's settings for reading and recording are ignored.",
    ),
    icon: 'shield',
    command: { title: vscode.l10n.t('Manage Workspace Trust'), command: 'workbench.trust.manage' },
  });
}
