import type { SnapshotDigest } from '../digest/digest.js';
import type { SnapshotReport } from './report.js';

/** One snapshot's own figures. */
export function snapshotReport(digest: SnapshotDigest, step: number | null): SnapshotReport {
  return {
    path: digest.path,
    format: digest.format,
    bytes: digest.fileBytes,
    events: digest.eventCount,
    step,
    takenAtUs: digest.takenAtUs,
    devices: digest.devices.map((device) => ({ ...device })),
    warnings: digest.warnings.map((warning) => ({ ...warning })),
  };
}
