import type { LineReport, Report, RunReport, SnapshotReport } from '../../../../src/core/report/report.js';

export const MiB = 2 ** 20;

export function snapshotReport(over: Partial<SnapshotReport> = {}): SnapshotReport {
  const devices = [
    { device: 0, liveBytes: 100 * MiB, reservedBytes: 200 * MiB, requestedBytes: 99 * MiB, privatePoolBytes: 0 },
  ];
  return {
    path: '/w/snaps/step_10.pickle',
    format: 'pickle',
    bytes: 1000,
    events: 10,
    step: 10,
    takenAtUs: 1,
    devices,
    warnings: [],
    ...over,
  };
}

export function lineReport(over: Partial<LineReport> = {}): LineReport {
  return {
    file: 'train.py',
    line: 26,
    function: 'train',
    mapped: true,
    liveBytes: 12 * MiB,
    totalBytes: 12 * MiB,
    growthBytes: 10 * MiB,
    growingBytes: 10 * MiB,
    leakedBytes: 11 * MiB,
    bytesPerStep: MiB,
    blocks: 340,
    category: 'other',
    series: [2 * MiB, 7 * MiB, 12 * MiB],
    verdict: 'leak',
    confidence: 0.9,
    evidence: null,
    holder: null,
    bound: null,
    mayBeLimited: false,
    unfound: null,
    statement: null,
    differs: null,
    ignored: false,
    inBaseline: false,
    stacks: [],
    ...over,
  };
}

export function runReport(lines: LineReport[], over: Partial<RunReport> = {}): RunReport {
  return {
    id: 'run',
    rank: null,
    job: null,
    worldSize: null,
    stepLoop: null,
    steps: 'annotations',
    order: 'steps',
    snapshots: [snapshotReport()],
    passes: null,
    verdict: 'leak',
    process: [],
    forecast: null,
    sources: null,
    lines,
    otherLines: { lines: 0, liveBytes: 0, growthBytes: 0, leakedBytes: 0, blocks: 0 },
    buckets: { library: 0, beforeRecording: 0 },
    noStack: 0,
    categories: [],
    peak: null,
    peaks: [],
    atExit: [],
    laterGrowth: null,
    scopes: [],
    outOfMemory: [],
    ...over,
  };
}

export function report(...runs: RunReport[]): Report {
  return {
    schema: 'leakline.report/3',
    runs,
    ranks: [],
    missing: [],
    behind: [],
    failed: [],
    overBudget: [],
    trends: [],
    cycles: [],
  };
}
