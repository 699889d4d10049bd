import type { SnapshotDigest } from '../core/analysis/digest.js';
import { deviceHistory, type DeviceHistory } from '../core/analysis/history.js';
import { SnapshotError } from '../core/bytes/snapshotError.js';
import type { Snapshot } from '../core/model/snapshot.js';
import type { Bytes } from '../core/model/units.js';
import { openFile, sameFile, type FileState } from '../node/fileSource.js';
import { modelBytes } from './modelBytes.js';
import { changedWhileRead } from './readSnapshotFile.js';
import type { SnapshotReader } from './snapshotReading.js';

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

  constructor(
    private readonly reader: SnapshotReader,
    private readonly budget: Bytes = DEFAULT_BUDGET,
  ) {}

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
    const present = await stateOf(path);
    const known = this.entries.get(path);
    if (known !== undefined && sameFile(known.state, present)) return { digest: known.digest, read: false };
    const wish = { path, bytes: present.size, wantsDigest: true } as const;
    const { state, snapshot, digest } = await this.reader.read(wish, signal, onProgress);
    this.entries.set(path, { state, digest });
    this.keep(path, state, snapshot);
    return { digest, read: true };
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
    const wish = { path, bytes: entry?.state.size ?? 0, wantsDigest: false } as const;
    const { state, snapshot } = await this.reader.read(wish, signal, () => undefined);
    if (entry === undefined || !sameFile(entry.state, state)) throw changedWhileRead(path);
    return this.keep(path, state, snapshot);
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

async function stateOf(path: string): Promise<FileState> {
  const file = await openFile(path);
  await file.close();
  return file.state;
}
