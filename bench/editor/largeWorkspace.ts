/** A workspace of many snapshots, from activation to the report that has them all. */
import { setTimeout as sleep } from 'node:timers/promises';
import * as vscode from 'vscode';
import type { LeaklineApi } from '../../src/extension/api.js';

/** Between two looks at the event loop, in milliseconds. */
const LOOK_MS = 5;
const MIB = 2 ** 20;

export interface LargeWorkspaceTimes {
  snapshots: number;
  runs: number;
  /** Milliseconds from activation to the first report, and to the one that has every snapshot. */
  first: number;
  all: number;
  /** Milliseconds that the host's main thread computed between two looks at it, at most and in 99 % of the looks. */
  longestBlock: number;
  p99Block: number;
  /** MiB of the extension host, the worker threads included: before, and at most. */
  before: number;
  max: number;
}

export async function measureLargeWorkspace(): Promise<LargeWorkspaceTimes> {
  const wanted = Number(process.env['LEAKLINE_SNAPSHOTS']);
  const extension = vscode.extensions.getExtension<LeaklineApi>('leakline.leakline');
  if (extension === undefined) throw new Error('Leakline is not here.');
  const before = process.memoryUsage.rss();
  let max = before;
  const busy: number[] = [];
  let used = computed();
  const begun = performance.now();
  const api = await extension.activate();
  const news: true[] = [];
  api.onDidChangeReport(() => {
    news.push(true);
  });
  let first = 0;
  for (;;) {
    await sleep(LOOK_MS);
    const now = performance.now();
    busy.push(computed() - used);
    used = computed();
    max = Math.max(max, process.memoryUsage.rss());
    if (news.splice(0).length === 0) continue;
    // The API gives a copy of everything. That takes a while, which is not measured along.
    const report = api.report();
    used = computed();
    if (report === null) continue;
    if (first === 0) first = now - begun;
    const snapshots = report.runs.reduce((sum, run) => sum + run.snapshots.length, 0);
    if (snapshots < wanted) continue;
    busy.sort((a, b) => a - b);
    return {
      ...{ snapshots, runs: report.runs.length, first, all: now - begun },
      ...{ longestBlock: busy[busy.length - 1], p99Block: busy[Math.floor(busy.length * 0.99)] },
      ...{ before: before / MIB, max: max / MIB },
    };
  }
}

/** In the Node that runs the host, and newer than the types. In microseconds. */
interface ThreadUsage {
  threadCpuUsage(): { user: number; system: number };
}

/** Milliseconds of CPU that this thread has used: what else the machine does has no part in it. */
function computed(): number {
  const { user, system } = (process as unknown as ThreadUsage).threadCpuUsage();
  return (user + system) / 1000;
}
