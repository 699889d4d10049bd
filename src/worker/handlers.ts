import { momentOf } from '../core/model/history.js';
import type { OwnerSearch } from '../core/attribution/owner.js';
import type { Snapshot } from '../core/model/snapshot.js';
import { allocatedIn, NOTHING_ALLOCATED } from '../core/timeline/allocatedIn.js';
import type { SnapshotDigest } from '../core/digest/digest.js';
import { liveAt, liveWithoutLines, type LiveByOwner } from '../core/timeline/liveAt.js';
import { runCurve } from '../core/runs/runCurve.js';
import { runSteps } from '../core/runs/runSteps.js';
import { groupRuns, stepOfDigest } from '../core/runs/runs.js';
import { HistoryAxis } from '../core/model/historyAxis.js';
import { historyWindow, type Mark } from '../core/timeline/timelineWindow.js';
import { buildCompare } from '../core/report/compare/buildCompare.js';
import { candidatesIn } from '../core/report/sources/candidates.js';
import { collectedText, failedShort, failureSentences } from '../core/present/failed.js';
import { snapshotReport } from '../core/report/snapshotReport.js';
import type { ProofStore } from '../core/report/lines/provedBefore.js';
import type { CompareReport, OutOfMemoryReport, Report } from '../core/report/report.js';
import type { ReportWorkspace } from '../core/report/reportWorkspace.js';
import { ReportsFromSources } from '../core/report/sources/reportFromSources.js';
import { SourceCache, SourceFiles } from '../node/sourceFiles.js';
import { packPoints } from '../protocol/curveCode.js';
import { sharingLines, withoutRepeated } from '../protocol/reportCode.js';
import type { RpcHandlers } from '../protocol/rpc.js';
import type { FailedAllocation, TimelineMark } from '../protocol/timelineData.js';
import type { WorkerApi, WorkerEvents } from '../protocol/workerApi.js';
import { BandAnswers } from './bandAnswers.js';
import { CompareAnswers, compareTable } from './compareAnswers.js';
import { FlameAnswers } from './flameAnswers.js';
import { LeakReplays } from './leakReplays.js';
import { LineVerdicts } from './lineVerdicts.js';
import { MapAnswers } from './mapAnswers.js';
import type { SnapshotReading } from './snapshotReading.js';
import type { SnapshotStore } from './snapshotStore.js';
import { WhatIfAnswers } from './whatIfAnswers.js';
import type { WorkspaceFiles } from './workspaceFiles.js';

/** The latest snapshots of a run, which its next report looks at. */
const WHOLE = 3;

/** Answers the extension's questions from the store. */
export function workerHandlers(
  store: SnapshotStore,
  reading: Pick<SnapshotReading, 'configure' | 'clearCache'>,
  workspace: WorkspaceFiles,
  onProgress: (progress: WorkerEvents['progress']) => void,
  proofs: ProofStore | null = null,
): RpcHandlers<WorkerApi> {
  /** The last report. */
  let sent: { number: number; report: Report } | null = null;
  const verdicts = new LineVerdicts();
  const ownersOf = (path: string, snapshot: Snapshot): OwnerSearch => ({
    lookup: workspace.lookupFor(snapshot, store.digests),
    stacklessHolder: verdicts.stacklessHolder(path),
  });
  const bands = new BandAnswers(store, workspace, verdicts);
  const cache = new SourceCache();
  const reports = new ReportsFromSources(proofs);
  const flames = new FlameAnswers(store, workspace);
  const compares = new CompareAnswers(store, workspace);
  const leakReplays = new LeakReplays(store, workspace);
  const whatIfs = new WhatIfAnswers(store, workspace, verdicts);
  const maps = new MapAnswers(store, workspace, whatIfs);
  const listed = (): ReportWorkspace => {
    const { roots, texts, ...listing } = workspace.listing;
    const { lineText, sourceText, sourceFacts } = new SourceFiles(roots, texts, cache);
    return { ...listing, roots, lineText, sourceText, sourceFacts };
  };
  const compared = ({ a, b, ignored }: WorkerApi['compare']['params']): CompareReport =>
    buildCompare(store.digest(a), store.digest(b), listed(), store.digests, ignored);
  return {
    configure: async (settings) => {
      await reading.configure(settings);
      return null;
    },
    clearCache: async () => {
      await reading.clearCache();
      return null;
    },
    setWorkspace: (listing) => {
      workspace.set(listing);
      return null;
    },
    load: async ({ path }, signal) => {
      const { digests, read } = await store.load(path, signal, (progress) => {
        onProgress({ path, ...progress });
      });
      if (read) workspace.reset();
      return { snapshots: digests.map((digest) => snapshotReport(digest, stepOfDigest(digest))), read };
    },
    unload: ({ path }) => {
      store.unload(path);
      workspace.reset();
      return null;
    },
    report: async (known) => {
      const result = await reports.report(store.digests, listed(), store.others);
      await leakReplays.addTo(result.report);
      const before = known === sent?.number ? sent.report : null;
      const report = before === null ? result.report : sharingLines(result.report, before);
      verdicts.take(report);
      const latest = report.runs.flatMap(({ snapshots }) => snapshots.slice(-WHOLE).map(({ path }) => path));
      void store.packBut(new Set(latest));
      const number = (sent?.number ?? 0) + 1;
      sent = { number, report };
      const coded = before === null ? { report, repeated: null } : withoutRepeated(report, before);
      return { ...coded, paths: result.paths, number };
    },
    compare: compared,
    compareTable: (pair) => compareTable(compared(pair)),
    candidates: ({ stacks }) => candidatesIn(listed())(stacks),
    whatIfDevices: (query, signal) => whatIfs.devices(query, signal),
    whatIf: (query, signal) => whatIfs.whatIf(query, signal),
    reservedWith: (query, signal) => whatIfs.reserved(query, signal),
    compareFlame: (query) => compares.flame(query),
    series: (query) => compares.series(query),
    timeline: async ({ path, device, axis, window, pixels }, signal) => {
      const { trend, history } = await store.anyHistory(path, device, signal);
      const snapshot = trend === null ? await store.snapshot(path, signal) : null;
      const { x, live, reserved, event, ...view } = historyWindow(
        snapshot,
        history,
        { axis, window, pixels },
        snapshot === null ? undefined : store.knownOf(path, snapshot, device),
      );
      const failure = verdicts.failure(path, device);
      const capacityBytes =
        trend === null
          ? (capacityOf(store.digest(path), device) ?? workspace.listing.capacityBytes)
          : (trend.capacities.find((one) => one.device === device)?.bytes ?? null);
      return {
        ...view,
        marks: view.marks.map((mark) => markOf(mark, capacityBytes)),
        failed: failure === null ? null : failedAllocation(failure, new HistoryAxis(history, axis)),
        packed: packPoints({ x, live, reserved, event }),
        path,
        device,
        startUs: history.startUs,
        events: history.trace.count,
        hasAllocations: trend === null,
        capacityBytes,
      };
    },
    liveAt: async ({ path, device, event, by }, signal) => {
      const { trend, history } = await store.anyHistory(path, device, signal);
      const moment = momentOf(history, event);
      let live: LiveByOwner;
      if (trend === null) {
        const snapshot = await store.snapshot(path, signal);
        live = liveAt(snapshot, history, moment.event, ownersOf(path, snapshot), by);
      } else live = liveWithoutLines(history, moment.event);
      return { ...live, path, device, by, ...moment };
    },
    allocatedIn: async ({ path, device, axis, window, by }, signal) => {
      if (store.trend(path) !== null) return { ...NOTHING_ALLOCATED, path, device, by };
      const snapshot = await store.snapshot(path, signal);
      const history = await store.history(path, device, signal);
      const allocated = allocatedIn(snapshot, history, { axis, window }, ownersOf(path, snapshot), by);
      return { ...allocated, path, device, by };
    },
    bands: (query, signal) => bands.bands(query, signal),
    bandDetail: (query, signal) => bands.detail(query, signal),
    flame: (query, signal) => flames.flame(query, signal),
    memoryMap: (query, signal) => maps.memoryMap(query, signal),
    runCurve: ({ path, device, axis, pixels }) => {
      const found = groupRuns(store.digests).find(({ snapshots }) => snapshots.some((one) => one.path === path));
      // A trend belongs to no run.
      const run = found ?? { snapshots: [], steps: [] };
      const curve = runCurve(run, device, pixels, axis);
      return { ...curve, path, device, steps: runSteps(curve, { run, device }, pixels) };
    },
  };
}

function markOf({ failure, collected, ...mark }: Mark, capacityBytes: number | null): TimelineMark {
  if (failure !== undefined) return { ...mark, label: failedShort({ ...failure, capacityBytes }) };
  return { ...mark, label: collected === undefined ? mark.label : collectedText(collected) };
}

function failedAllocation(failure: OutOfMemoryReport, axis: HistoryAxis): FailedAllocation {
  const { event, asked } = failure;
  return { event, x: axis.xOf(event), text: failureSentences(failure).join(' '), asked };
}

/** The device's memory from the recorder, or null. */
function capacityOf({ recording }: SnapshotDigest, device: number): number | null {
  return recording?.devices.find((recorded) => recorded.device === device)?.capacityBytes ?? null;
}
