import type { SnapshotDigest } from '../digest/digest.js';
import type { RunReport, SnapshotReport } from './report.js';

const known = new WeakMap<SnapshotDigest, SnapshotReport>();

/** One snapshot's own figures: one object for one answer. */
export function snapshotReport(digest: SnapshotDigest, step: number | null): SnapshotReport {
  let report = known.get(digest);
  if (report?.step !== step) {
    report = figuresOf(digest, step);
    known.set(digest, report);
  }
  return report;
}

/** All snapshots of a run, also those that are not judged. */
export function allSnapshots({ snapshots, atExit }: Pick<RunReport, 'snapshots' | 'atExit'>): SnapshotReport[] {
  return [...snapshots, ...atExit];
}

function figuresOf(digest: SnapshotDigest, step: number | null): SnapshotReport {
  return {
    path: digest.path,
    format: digest.format,
    bytes: digest.fileBytes,
    events: digest.eventCount,
    step,
    takenAtUs: digest.takenAtUs,
    devices: digest.devices,
    warnings: digest.warnings,
  };
}
