import type { AllocationIndex } from '../core/timeline/allocationIndex.js';
import { blockDetail, seriesDetail } from '../core/timeline/bandDetail.js';
import { bandWindow, type BandWindow } from '../core/timeline/bandWindow.js';
import { CATEGORIES } from '../core/attribution/categories/category.js';
import { ownerKey, shownFrame, type FileLookup } from '../core/attribution/owner.js';
import { isMachinery } from '../core/attribution/readableStack.js';
import { seriesLayout, type BandGrouping, type SeriesLayout } from '../core/timeline/seriesLayout.js';
import type { Snapshot } from '../core/model/snapshot.js';
import { BatchLines } from '../core/report/lines/batchLines.js';
import { SourceFiles } from '../node/sourceFiles.js';
import { packBands } from '../protocol/bandCode.js';
import type { BandDetail, BandDetailQuery, Bands, BandsQuery, BandSeries } from '../protocol/bandData.js';
import type { LineVerdicts } from './lineVerdicts.js';
import { ownerPlace } from './ownerPlace.js';
import type { SnapshotStore } from './snapshotStore.js';
import type { WorkspaceFiles } from './workspaceFiles.js';
import { t } from '../core/text/translate.js';

/** Maximum number of frames in the answer about one place: with C++ frames, those of Python begin behind dozens of others. */
const FRAMES_OF_DETAIL = 128;

interface StackedBands {
  snapshot: Snapshot;
  index: AllocationIndex;
  layout: SeriesLayout;
}

interface KnownLayout {
  lookup: FileLookup;
  /** What its labels depend on: the report, or the line that holds memory without a stack. */
  labels: string;
  layout: SeriesLayout;
}

/** Answers questions about the bands under the curve. */
export class BandAnswers {
  private readonly layouts = new WeakMap<AllocationIndex, Map<BandGrouping, KnownLayout>>();

  constructor(
    private readonly store: SnapshotStore,
    private readonly workspace: WorkspaceFiles,
    private readonly verdicts: LineVerdicts,
  ) {}

  async bands(query: BandsQuery, signal: AbortSignal): Promise<Bands> {
    const { path, device, axis, window, pixels, rows, bytes, grouping, line } = query;
    const { index, layout } = await this.stacked(path, device, grouping, signal);
    const wanted = (series: number): boolean => {
      const { owner } = layout.allSeries[series];
      return line !== null && 'line' in owner && owner.line.file === line.file && owner.line.line === line.line;
    };
    const view = bandWindow(index, layout, {
      axis,
      window,
      pixels,
      rows,
      bytes,
      wanted,
    });
    return {
      path,
      device,
      axis: view.axis,
      grouping,
      window: view.window,
      pixels: view.pixels,
      ...namesOf(view, layout),
      otherSeries: view.otherSeries,
      packed: packBands({ ...view.samples, changes: view.changes, blocks: view.blocks }),
    };
  }

  async detail(query: BandDetailQuery, signal: AbortSignal): Promise<BandDetail> {
    const { path, device, grouping, series, event, row } = query;
    const { snapshot, index, layout } = await this.stacked(path, device, grouping, signal);
    const { history } = index;
    if (series >= layout.allSeries.length || (row !== null && row >= history.allocations.count)) {
      throw new Error(t('The snapshot has changed. Try again.'));
    }
    const { use } = layout.allSeries[series];
    const at = Math.min(event, history.trace.count - 1);
    const found =
      row === null ? seriesDetail(snapshot, index, layout, series, at) : blockDetail(snapshot, index, layout, row);
    const { time } = history;
    const ageUs =
      time === null || found.allocated < 0 || at < found.allocated ? null : time[at] - time[found.allocated];
    const { owner, frames, ...facts } = found;
    const lookup = this.workspace.lookupFor(snapshot, this.store.digests);
    const told = frames.filter((frame) => !isMachinery(frame)).slice(0, FRAMES_OF_DETAIL);
    return {
      ...ownerPlace(owner),
      ...(use !== null && { use }),
      ...facts,
      series,
      event,
      row,
      ageUs,
      frames: told.map((frame) => shownFrame(frame, lookup)),
      hiddenFrames: frames.length - told.length,
      finding: this.verdicts.finding(path, owner),
    };
  }

  private async stacked(
    path: string,
    device: number,
    grouping: BandGrouping,
    signal: AbortSignal,
  ): Promise<StackedBands> {
    const snapshot = await this.store.snapshot(path, signal);
    const index = await this.store.allocations(path, device, signal);
    const lookup = this.workspace.lookupFor(snapshot, this.store.digests);
    const stacklessHolder = this.verdicts.stacklessHolder(path);
    const labels = `${grouping === 'verdict' ? this.verdicts.version : ''}\n${stacklessHolder && ownerKey(stacklessHolder)}`;
    const known = this.layouts.get(index) ?? new Map<BandGrouping, KnownLayout>();
    this.layouts.set(index, known);
    const before = known.get(grouping);
    if (before?.lookup === lookup && before.labels === labels) return { snapshot, index, layout: before.layout };
    const { roots, texts } = this.workspace.listing;
    const { lineText } = new SourceFiles(roots, texts);
    const batches = new BatchLines({ files: [], rules: [], lineText }, lookup);
    const layout = seriesLayout(
      snapshot,
      index,
      grouping,
      { lookup, stacklessHolder },
      {
        verdictOf: (owner) => this.verdicts.of(path, owner),
        categoryOf: (code, frames) => CATEGORIES[batches.settle(code, frames)],
      },
    );
    known.set(grouping, { lookup, labels, layout });
    return { snapshot, index, layout };
  }
}

function namesOf(view: BandWindow, layout: SeriesLayout): Pick<Bands, 'groups' | 'allSeries'> {
  const allSeries = Array.from(view.allSeries, (id): BandSeries => {
    const { group, owner, use } = layout.allSeries[id];
    return { id, group, ...ownerPlace(owner), ...(use !== null && { use }) };
  });
  return {
    allSeries,
    groups: Object.fromEntries(allSeries.map(({ group }) => [group, layout.groups[group]])),
  };
}
