import { digestSnapshot, type SnapshotDigest } from '../core/analysis/digest.js';
import { deviceHistory, type DeviceHistory } from '../core/analysis/history.js';
import { SnapshotError } from '../core/bytes/snapshotError.js';
import { readSnapshot } from '../core/formats/readSnapshot.js';
import type { Snapshot } from '../core/model/snapshot.js';
import type { Bytes } from '../core/model/units.js';
import { openFile, sameFile, type FileState } from '../node/fileSource.js';
import { readRecording } from '../node/recordingFile.js';
import { modelBytes } from './modelBytes.js';

interface Entry {
  state: FileState;
  digest: SnapshotDigest;
}

interface Resident {
  state: FileState;
  snapshot: Snapshot;
  bytes: Bytes;
  histories: Map<number, DeviceHistory>;
}

/** Columns kept in memory for the timeline's questions; digests stay for all files. */
const DEFAULT_BUDGET: Bytes = 1 << 30;

/** The snapshots that the worker knows: a digest of each, and the whole columns of those that were asked for last. */
export class SnapshotStore {
  private readonly entries = new Map<string, Entry>();
  /** In order of use, the latest last. */
  private readonly resident = new Map<string, Resident>();

  constructor(private readonly budget: Bytes = DEFAULT_BUDGET) {}

  get digests(): SnapshotDigest[] {
    return [...this.entries.values()].map((entry) => entry.digest);
  }

  /**
   * Reads a file unless it is known in its present state.
   * @returns its digest, and whether it was read
   * @throws SnapshotError; what was known of the file before stays
   */
  async load(
    path: string,
    signal: AbortSignal,
    onProgress: (fraction: number) => void,
  ): Promise<{ digest: SnapshotDigest; read: boolean }> {
    const file = await openFile(path);
    try {
      const known = this.entries.get(path);
      if (known !== undefined && sameFile(known.state, file.state)) return { digest: known.digest, read: false };
      const snapshot = await readSnapshot(file.source, { signal, onProgress });
      // A writer that starts over while we read leaves a mixture: what was read is neither the old file nor the new.
      if (!sameFile(file.state, await file.currentState())) throw changed(path);
      const digest = digestSnapshot(path, snapshot, await readRecording(path));
      this.entries.set(path, { state: file.state, digest });
      this.keep(path, file.state, snapshot);
      return { digest, read: true };
    } finally {
      await file.close();
    }
  }

  unload(path: string): void {
    this.entries.delete(path);
    this.resident.delete(path);
  }

  /** @throws SnapshotError if the file is not loaded */
  digest(path: string): SnapshotDigest {
    const entry = this.entries.get(path);
    if (entry === undefined) {
      throw new SnapshotError(
        'unreadable',
        `${path} is not open in Leakline. Open it with "Leakline: Open Snapshot…".`,
      );
    }
    return entry.digest;
  }

  /** The columns of a loaded file, read again if they had to make room for others. */
  async snapshot(path: string, signal: AbortSignal): Promise<Snapshot> {
    return (await this.residentOf(path, signal)).snapshot;
  }

  async history(path: string, device: number, signal: AbortSignal): Promise<DeviceHistory> {
    const resident = await this.residentOf(path, signal);
    let history = resident.histories.get(device);
    if (history === undefined) {
      history = deviceHistory(resident.snapshot, device);
      resident.histories.set(device, history);
    }
    return history;
  }

  private async residentOf(path: string, signal: AbortSignal): Promise<Resident> {
    const entry = this.entries.get(path);
    if (entry === undefined) this.digest(path);
    const resident = this.resident.get(path);
    if (resident !== undefined && entry !== undefined && sameFile(resident.state, entry.state)) {
      this.resident.delete(path);
      this.resident.set(path, resident);
      return resident;
    }
    const file = await openFile(path);
    try {
      if (entry === undefined || !sameFile(entry.state, file.state)) throw changed(path);
      return this.keep(path, file.state, await readSnapshot(file.source, { signal }));
    } finally {
      await file.close();
    }
  }

  private keep(path: string, state: FileState, snapshot: Snapshot): Resident {
    const resident = { state, snapshot, bytes: modelBytes(snapshot), histories: new Map<number, DeviceHistory>() };
    this.resident.delete(path);
    this.resident.set(path, resident);
    let total = 0;
    for (const one of this.resident.values()) total += one.bytes;
    for (const [other, one] of this.resident) {
      if (total <= this.budget || other === path) break;
      this.resident.delete(other);
      total -= one.bytes;
    }
    return resident;
  }
}

function changed(path: string): SnapshotError {
  return new SnapshotError(
    'truncated',
    `${path} changed while it was read: it is being written. Leakline reads it again when it is complete.`,
  );
}
