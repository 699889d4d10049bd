import { trendHistory } from '../core/runs/trendHistory.js';
import { countWhile } from '../core/model/ascending.js';
import { setImmediate } from 'node:timers/promises';
import { allocationIndex, type AllocationIndex } from '../core/timeline/allocationIndex.js';
import type { SnapshotDigest } from '../core/digest/digest.js';
import { findFacts } from '../core/digest/digestFacts.js';
import { Categorizer } from '../core/attribution/categories/categorizer.js';
import { deviceHistory, type DeviceHistory, type TraceHistory } from '../core/model/history.js';
import { counterOf, folderOf, patternOf, traceStepOf } from '../core/runs/runNames.js';
import { rankOfDigest } from '../core/runs/runs.js';
import { StackRoles } from '../core/attribution/stackRole.js';
import { stepsOnDevice, type Steps } from '../core/attribution/steps/steps.js';
import type { KnownOfHistory } from '../core/timeline/timelineWindow.js';
import { SnapshotError } from '../core/bytes/snapshotError.js';
import type { OtherResult } from '../core/formats/readResult.js';
import { noSnapshot } from '../core/formats/readSnapshot.js';
import { splitMember } from '../core/model/memberPath.js';
import type { Snapshot } from '../core/model/snapshot.js';
import type { Trend } from '../core/model/trend.js';
import type { ReadProgress } from '../protocol/timelineData.js';
import type { Bytes } from '../core/model/units.js';
import type { OtherInputs } from '../core/report/otherInputs.js';
import { changedWhileRead, openFile, sameFile, type FileState } from '../node/fileSource.js';
import { sameSidecar, sidecarState } from '../node/recordingFile.js';
import { type StoreBytes, SpillFile } from '../node/spillFile.js';
import { isDigestFile, readDigestFile, snapshotKey, snapshotOf, type DigestFile } from './digestFile.js';
import type { SnapshotReader } from './snapshotReading.js';
import { storedDigest, type StoredDigest } from './storedDigest.js';
import { t } from '../core/text/translate.js';

/** What a file holds: snapshots, or something else that has no lines. */
interface Entry {
  path: string;
  state: FileState;
  /** The state of the file that the recorder wrote next to it. */
  sidecar: FileState | null;
  /** See `memberPath` for their names; several where a page holds several. */
  digests: StoredDigest[];
  other: OtherResult | null;
  /** What the snapshots' digests are named with, see `snapshotKey`. */
  key: string;
  /** Null where the file is the snapshot itself. */
  kept: DigestFile | null;
}

interface Resident {
  state: FileState;
  snapshot: Snapshot;
  bytes: Bytes;
  histories: Map<number, TraceHistory>;
  indexes: Map<number, AllocationIndex>;
}

/** Columns kept in memory for the timeline's questions; digests stay for all files. */
const DEFAULT_BUDGET: Bytes = 1 << 30;
/** Maximum number of snapshots with columns in memory: a timeline that is opened later reads its own. */
const MAX_RESIDENT = 4;

/** Maximum number of digests in memory as a whole, until a report packs those that it does not look at. */
const MAX_WHOLE = 64;

/** The snapshots that the worker knows: a digest of each, and the whole columns of those that were requested last. */
export class SnapshotStore {
  private readonly entries = new Map<string, Entry>();
  /** Entries by path, because files are read at the same time and end in any order. */
  private readonly inOrder: Entry[] = [];
  /** Snapshots with columns in memory, the last used one last. */
  private readonly resident = new Map<string, Resident>();
  /** Digests that are not packed. */
  private readonly whole = new Set<StoredDigest>();
  /** The next one shares its equal parts. */
  private latest: StoredDigest | null = null;
  /** See `elsewhere` and `digests`; null after a change. */
  private keptDigests: Map<string, Entry> | null = null;
  private known: readonly StoredDigest[] | null = null;

  constructor(
    private readonly reader: SnapshotReader,
    private readonly budget: Bytes = DEFAULT_BUDGET,
    /** Where digests are that no report looks at. */
    private readonly keepPacked: StoreBytes = new SpillFile().keep,
  ) {}

  get digests(): readonly StoredDigest[] {
    if (this.known !== null) return this.known;
    const known: StoredDigest[] = (this.known = []);
    for (const entry of this.inOrder) {
      for (const digest of entry.digests) {
        if (entry.kept === null || this.elsewhere.get(digest.path) === entry) known.push(digest);
      }
    }
    return known;
  }

  /** What was read beside snapshots. */
  get others(): OtherInputs {
    const entries = this.inOrder.filter(({ other }) => other !== null);
    return {
      trends: entries.flatMap(({ path, other }) => (other?.kind === 'trend' ? [{ path, trend: other.trend }] : [])),
      cycles: entries.flatMap(({ path, other }) => (other?.kind === 'cycles' ? [{ path, cycles: other.cycles }] : [])),
    };
  }

  /**
   * Reads a file unless it is known in its present state.
   * @returns digests of its snapshots, none of a file that holds something else; and whether it was read
   * @throws SnapshotError; what was known of the file before stays
   */
  async load(
    path: string,
    signal: AbortSignal,
    onProgress: (progress: ReadProgress) => void,
  ): Promise<{ digests: SnapshotDigest[]; read: boolean }> {
    const present = await stateOf(path);
    const known = this.entries.get(path);
    const sidecar = await sidecarState(path);
    if (known !== undefined && sameFile(known.state, present) && sameSidecar(known.sidecar, sidecar)) {
      return { digests: known.digests, read: false };
    }
    if (isDigestFile(path)) {
      const kept = await readDigestFile(path);
      this.unload(path);
      const digest = this.stored(kept.digest, path);
      const digests = [digest];
      this.put({ path, state: present, sidecar, digests, other: null, key: kept.key, kept: { ...kept, digest } });
      return { digests, read: true };
    }
    const sinceMs = performance.now();
    const key = await keyOf(path);
    const wish = { path, bytes: present.size, wantsDigest: true } as const;
    const first = await this.reader.read(wish, signal, onProgress);
    const { state } = first;
    if (first.kind === 'other') {
      this.put({ path, state, sidecar, digests: [], other: first.result, key, kept: null });
      return { digests: [], read: true };
    }
    const digests: StoredDigest[] = new Array<StoredDigest>(first.members);
    for (let member = 0; member < first.members; member++) {
      const reading = member === 0 ? first : await this.reader.read({ ...wish, member, sinceMs }, signal, onProgress);
      if (reading.kind === 'other' || !sameFile(reading.state, state)) throw changedWhileRead(path);
      const digest = this.stored(reading.digest, path);
      digests[member] = digest;
      if (reading.snapshot !== null) this.keep(digest.path, reading.state, reading.snapshot);
    }
    this.put({ path, state, sidecar, digests, other: null, key, kept: null });
    // Files wait newest first, so this one is the oldest of a burst, which comes before the next report.
    if (this.whole.size > MAX_WHOLE) for (const digest of digests) this.pack(digest);
    return { digests, read: true };
  }

  /** Packs the digests of all snapshots but these, one in each turn of the event loop. */
  async packBut(needed: ReadonlySet<string>): Promise<void> {
    for (const digest of [...this.whole]) {
      if (needed.has(digest.path)) continue;
      this.pack(digest);
      await setImmediate();
    }
  }

  private pack(digest: StoredDigest): void {
    findFacts(digest);
    digest.pack(this.keepPacked);
    this.whole.delete(digest);
  }

  unload(path: string): void {
    for (const digest of this.entries.get(path)?.digests ?? []) {
      this.resident.delete(digest.path);
      this.whole.delete(digest);
    }
    if (this.entries.delete(path)) this.inOrder.splice(this.placeOf(path), 1);
    this.forgetKnown();
  }

  /** @throws SnapshotError if the file is not loaded, or no snapshot */
  digest(path: string): SnapshotDigest {
    const entry = this.holderOf(path)?.entry;
    const digest = entry?.digests.find((one) => one.path === path);
    if (digest === undefined) {
      if (entry?.other != null) throw noSnapshot(path, entry.other);
      throw new SnapshotError(
        'unreadable',
        t('{0} is not open in Leakline. Open it with "Leakline: Open Snapshot…".', path),
      );
    }
    return digest;
  }

  /** The trend that a loaded file is, null for other files. */
  trend(path: string): Trend | null {
    const other = this.entries.get(path)?.other;
    return other?.kind === 'trend' ? other.trend : null;
  }

  /** The columns of a loaded file, read again if they had to make room for others. */
  async snapshot(path: string, signal: AbortSignal): Promise<Snapshot> {
    return (await this.residentOf(path, signal)).snapshot;
  }

  async history(path: string, device: number, signal: AbortSignal): Promise<TraceHistory> {
    return this.historyOf(path, await this.residentOf(path, signal), device);
  }

  /** The history of a device of any loaded file: of a snapshot, or of a trend, which has no snapshot. @throws if it is not loaded */
  async anyHistory(
    path: string,
    device: number,
    signal: AbortSignal,
  ): Promise<{ trend: Trend | null; history: DeviceHistory }> {
    const trend = this.trend(path);
    return { trend, history: trend === null ? await this.history(path, device, signal) : trendHistory(trend, device) };
  }

  /** The steps of a device, null where none are known. @throws if the file is not loaded */
  stepsOf(path: string, snapshot: Snapshot, device: number): Steps | null {
    const { steps } = this.digest(path);
    return steps === null ? null : stepsOnDevice(snapshot, steps, device);
  }

  /** What is known of the history of a device beside its trace. */
  knownOf(path: string, snapshot: Snapshot, device: number): KnownOfHistory {
    const { recording } = this.digest(path);
    // A trace that begins with the first step has lost nothing.
    const hasLost = snapshot.warnings.some(({ code }) => code === 'ringOverflow');
    return {
      steps: this.stepsOf(path, snapshot, device),
      recording,
      done: recording?.step ?? (hasLost ? this.stepOfName(path) : null),
    };
  }

  /** The step that a file's name tells, if it calls it one or others beside it are numbered alike; null if not. */
  private stepOfName(path: string): number | null {
    const [folder, pattern] = [folderOf(path), patternOf(path)];
    const isAlike = (other: string): boolean =>
      other !== path && other.startsWith(folder) && patternOf(other) === pattern;
    return traceStepOf(path) ?? (this.digests.some((digest) => isAlike(digest.path)) ? counterOf(path) : null);
  }

  /** What the bands of a device are made of. */
  async allocations(path: string, device: number, signal: AbortSignal): Promise<AllocationIndex> {
    const resident = await this.residentOf(path, signal);
    let index = resident.indexes.get(device);
    if (index === undefined) {
      const { snapshot } = resident;
      const history = this.historyOf(path, resident, device);
      const own = this.stepsOf(path, snapshot, device);
      const categorizer = new Categorizer(snapshot, history, own, new StackRoles(snapshot));
      index = allocationIndex(snapshot, history, own, categorizer);
      resident.indexes.set(device, index);
      resident.bytes += index.byteLength;
      this.makeRoomFor(path);
    }
    return index;
  }

  private historyOf(path: string, resident: Resident, device: number): TraceHistory {
    let history = resident.histories.get(device);
    if (history === undefined) {
      history = deviceHistory(resident.snapshot, device);
      resident.histories.set(device, history);
      resident.bytes += historyBytes(history);
      this.makeRoomFor(path);
    }
    return history;
  }

  private put(entry: Entry): void {
    const { path } = entry;
    for (const digest of this.entries.get(path)?.digests ?? []) this.whole.delete(digest);
    for (const digest of entry.digests) this.whole.add(digest);
    this.inOrder.splice(this.placeOf(path), this.entries.has(path) ? 1 : 0, entry);
    this.entries.set(path, entry);
    this.forgetKnown();
  }

  /** @param file that the digest is from: a name that equals it is the same text */
  private stored(digest: SnapshotDigest, file: string): StoredDigest {
    const path = digest.path === file ? file : digest.path;
    return (this.latest = storedDigest({ ...digest, path }, this.latest));
  }

  private forgetKnown(): void {
    this.keptDigests = null;
    this.known = null;
  }

  /** How many paths come before this one. */
  private placeOf(path: string): number {
    return countWhile(this.inOrder.length, (i) => this.inOrder[i].path < path);
  }

  /** Digests of snapshots that are not read themselves, by the snapshot's path: the latest of each. */
  private get elsewhere(): ReadonlyMap<string, Entry> {
    if (this.keptDigests !== null) return this.keptDigests;
    const kept = (this.keptDigests = new Map<string, Entry>());
    if (this.inOrder.every((entry) => entry.kept === null)) return kept;
    const read = this.inOrder.filter((entry) => entry.kept === null);
    const paths = new Set(read.flatMap(({ digests }) => digests.map((one) => one.path)));
    const contents = new Set(read.flatMap((entry) => entry.digests.map((one) => contentName(entry, one))));
    for (const entry of this.inOrder) {
      if (entry.kept === null) continue;
      const { digest } = entry.kept;
      if (paths.has(digest.path) || contents.has(contentName(entry, digest))) continue;
      const known = kept.get(digest.path)?.kept?.digest.savedAtUs ?? null;
      if (known === null || known < (digest.savedAtUs ?? 0)) kept.set(digest.path, entry);
    }
    return kept;
  }

  /** The file that holds a snapshot, and the snapshot's place in it. */
  private holderOf(path: string): { file: string; member: number; entry: Entry } | null {
    const own = this.entries.get(path);
    if (own !== undefined) return { file: path, member: 0, entry: own };
    const kept = this.elsewhere.get(path);
    if (kept !== undefined) return { file: path, member: 0, entry: kept };
    const member = splitMember(path);
    const entry = member === null ? undefined : this.entries.get(member.file);
    return member === null || entry === undefined ? null : { file: member.file, member: member.index, entry };
  }

  private async residentOf(path: string, signal: AbortSignal): Promise<Resident> {
    this.digest(path);
    const holder = this.holderOf(path);
    const resident = this.resident.get(path);
    const kept = holder?.entry.kept ?? null;
    if (resident !== undefined && holder !== null && (kept !== null || sameFile(resident.state, holder.entry.state))) {
      this.resident.delete(path);
      this.resident.set(path, resident);
      return resident;
    }
    const { entry, ...own } = holder ?? { file: path, member: 0, entry: null };
    const { file, member, bytes } = kept === null ? { ...own, bytes: entry?.state.size ?? 0 } : await snapshotOf(kept);
    const wish = { path: file, member, bytes, wantsDigest: false } as const;
    const reading = await this.reader.read(wish, signal, () => undefined);
    const isSame = kept !== null || (entry !== null && sameFile(entry.state, reading.state));
    if (reading.kind === 'other' || !isSame) throw changedWhileRead(path);
    return this.keep(path, reading.state, reading.snapshot);
  }

  private keep(path: string, state: FileState, snapshot: Snapshot): Resident {
    const bytes = modelBytes(snapshot);
    const resident: Resident = { state, snapshot, bytes, histories: new Map(), indexes: new Map() };
    this.resident.delete(path);
    this.resident.set(path, resident);
    this.makeRoomFor(path);
    return resident;
  }

  /** Drops the columns that were not used for longest, never those of `path`. */
  private makeRoomFor(path: string): void {
    let total = 0;
    for (const one of this.resident.values()) total += one.bytes;
    for (const [other, one] of this.resident) {
      if ((total <= this.budget && this.resident.size <= MAX_RESIDENT) || other === path) break;
      this.resident.delete(other);
      total -= one.bytes;
    }
  }
}

/** Equal of a snapshot and its digest wherever they lie. Ranks may write the same bytes. */
function contentName({ key }: Entry, digest: SnapshotDigest): string {
  return JSON.stringify([key, /[^/\\]*$/.exec(digest.path)?.[0], rankOfDigest(digest)]);
}

async function stateOf(path: string): Promise<FileState> {
  const file = await openFile(path);
  await file.close();
  return file.state;
}

async function keyOf(path: string): Promise<string> {
  const file = await openFile(path);
  try {
    return await snapshotKey(file, path);
  } finally {
    await file.close();
  }
}

/** Memory that the columns of a snapshot take. */
function modelBytes(snapshot: Snapshot): Bytes {
  const { frames, stacks, events, segmentEvents, failures, segments, blocks, annotations } = snapshot;
  return columnBytes([frames, stacks, events, segmentEvents, failures, segments, blocks, annotations]);
}

/** Memory that a reconstructed history takes. */
function historyBytes({ allocations, live, reserved, time }: DeviceHistory): Bytes {
  return columnBytes([allocations, allocations.atEnd, { live, reserved, time }]);
}

function columnBytes(tables: readonly object[]): Bytes {
  let bytes = 0;
  for (const table of tables) {
    for (const column of Object.values(table)) if (ArrayBuffer.isView(column)) bytes += column.byteLength;
  }
  return bytes;
}
