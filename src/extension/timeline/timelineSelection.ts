import * as vscode from 'vscode';
import { hostLast } from '../../core/model/units.js';
import { lastFailure } from '../../core/report/peak/outOfMemory.js';
import { allSnapshots } from '../../core/report/snapshotReport.js';
import type { RunReport } from '../../core/report/report.js';
import type { ComparePair } from '../../protocol/compareData.js';
import type { TimelineState } from '../../protocol/timelineApi.js';
import { newestFirst } from '../results/runOrder.js';
import { runNames, leakRate } from '../results/runText.js';
import type { ResultsStore } from '../results/resultsStore.js';
import { basename } from '../../core/text/pathText.js';
import type { SourcePlace } from '../workspace/openSource.js';
import { folderName } from '../workspace/folderName.js';

/** The device of inputs without one. */
const TREND_DEVICE = 0;

/** What the timeline is to show. */
export interface TimelineWish {
  /** Null for the snapshot that shows most: the last one with a trace of the run that leaks most. */
  readonly path: string | null;
  /** A line to outline. */
  readonly highlight?: SourcePlace;
  /** Two snapshots side by side, of which `path` is the later one. */
  readonly compared?: ComparePair;
  readonly pane?: TimelineState['pane'];
}

/** The timeline's choices, and the user's last selection. */
export class TimelineSelection {
  private request = 0;
  private wish: TimelineWish = { path: null };

  /** @param own the file whose run alone can be chosen; null for all runs */
  constructor(
    private readonly store: ResultsStore,
    private readonly own: string | null = null,
  ) {}

  ask(wish: TimelineWish): void {
    // Higher than in any earlier session, whose number a page may have stored.
    this.request = Math.max(this.request + 1, Date.now());
    this.wish = wish;
  }

  /** True if the workspace has code of the snapshot, or there is none to have code of. */
  get hasCode(): boolean {
    const { selected } = this.state();
    const runs = this.store.result?.report.runs ?? [];
    const run = runs.find((candidate) => isOf(candidate, selected?.path ?? null));
    return selected === null || run?.lines.some(({ mapped }) => mapped) === true;
  }

  state(): TimelineState {
    // Cleared in another place: the page goes back to the later snapshot.
    if (this.wish.compared !== undefined && this.store.comparison === null) this.ask({ path: this.wish.path });
    const { highlight = null, compared = null, pane = null } = this.wish;
    const runs = this.store.result?.report.runs ?? [];
    const names = runNames(runs, folderName);
    const offered = this.own === null ? runs : runs.filter((run) => isOf(run, this.own));
    const choices = newestFirst(offered).flatMap((run) =>
      allSnapshots(run).map(({ path, devices, step }) => ({
        path,
        label: basename(path),
        run: names.get(run.id) ?? run.id,
        devices: devices.map(({ device }) => device),
        step,
        kind: 'snapshot' as const,
      })),
    );
    const trends = (this.store.result?.report.trends ?? [])
      .filter(({ path }) => this.own === null || path === this.own)
      .map(({ path, series }) => ({
        path,
        label: basename(path),
        run: vscode.l10n.t('Amounts over time'),
        devices: [...new Set(series.map(({ device }) => device ?? TREND_DEVICE))].sort((a, b) => a - b),
        step: null,
        kind: 'trend' as const,
      }));
    const path = this.wish.path ?? this.bestSnapshot(runs, highlight);
    const snapshot = runs.flatMap(allSnapshots).find((candidate) => candidate.path === path);
    const failures = runs.flatMap(({ outOfMemory }) => outOfMemory).filter((failure) => failure.path === path);
    // The device that ran out of memory, else the fullest.
    const fullest = [...(snapshot?.devices ?? [])]
      .sort((a, b) => hostLast(a, b) || b.liveBytes - a.liveBytes)
      .at(0)?.device;
    const device = lastFailure(failures)?.device ?? fullest;
    const trend = trends.find((candidate) => candidate.path === path);
    const selected =
      trend !== undefined
        ? { path: trend.path, device: trend.devices.at(0) ?? TREND_DEVICE }
        : snapshot === undefined || device === undefined
          ? null
          : { path: snapshot.path, device };
    return { choices: [...choices, ...trends], request: this.request, selected, highlight, compared, pane };
  }

  private bestSnapshot(runs: readonly RunReport[], place: SourcePlace | null): string | undefined {
    const marked = this.store.marks.find(({ file, line }) => file === place?.file && line === place.line);
    const worst = [...runs].sort((a, b) => leakRate(b) - leakRate(a) || peakBytes(b) - peakBytes(a)).at(0);
    const { snapshots = [] } = marked?.parts[0].run ?? worst ?? {};
    return (snapshots.findLast(({ events }) => events > 0) ?? snapshots.at(-1))?.path;
  }
}

function isOf(run: RunReport, path: string | null): boolean {
  return allSnapshots(run).some((snapshot) => snapshot.path === path);
}

/** The most that a run held on a device. */
function peakBytes({ peaks, snapshots }: RunReport): number {
  return [...peaks, ...snapshots.flatMap(({ devices }) => devices)].reduce(
    (most, { liveBytes }) => Math.max(most, liveBytes),
    0,
  );
}
