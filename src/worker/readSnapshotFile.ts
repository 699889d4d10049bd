import { digestSnapshot } from '../core/digest/digest.js';
import { readInput } from '../core/formats/readSnapshot.js';
import { parseRecording } from '../core/formats/recordingSidecar.js';
import { memberPath } from '../core/model/memberPath.js';
import type { Snapshot } from '../core/model/snapshot.js';
import { packSnapshot } from '../core/model/snapshotCodec.js';
import { digestKey } from '../node/contentKey.js';
import { expectUnchanged, openFile, savedAtUs } from '../node/fileSource.js';
import { readSidecar } from '../node/recordingFile.js';
import type { SnapshotCache } from '../node/snapshotCache.js';
import type { ReadProgress } from '../protocol/timelineData.js';
import type { FileReading, ReadRequest } from './readerApi.js';
import type { EventColumns } from '../core/model/eventColumns.js';
import { CurveSoFar } from '../core/timeline/curveSoFar.js';

/** A picture that fills in five steps a second looks alive. */
const PACE_MS = 200;
const NOTHING = new Float64Array();

/** Reads a file, or one of its snapshots, or takes its columns from the cache. @throws SnapshotError */
export async function readSnapshotFile(
  { path, timeLimitMs, wantsDigest, member }: Omit<ReadRequest, 'cache'>,
  cache: SnapshotCache | null,
  signal: AbortSignal,
  onProgress: (progress: ReadProgress) => void,
): Promise<FileReading> {
  const file = await openFile(path);
  let snapshot: Snapshot;
  let members: number;
  let key: string | null;
  let isKept = false;
  try {
    key = (await cache?.keyOf(file, member)) ?? null;
    const kept = key === null || cache === null ? null : await cache.loadColumns(key);
    if (kept !== null) {
      ({ snapshot, members } = kept);
      isKept = true;
    } else {
      const limit = timeLimitMs === null ? {} : { timeLimitMs };
      const progress = new ReadingProgress(onProgress);
      const result = await readInput(file.source, {
        ...{ signal, member, ...limit },
        onProgress: (fraction) => progress.follow(fraction),
        onEvents: (columns) => progress.begin(columns),
      });
      if (result.kind !== 'snapshot') {
        await expectUnchanged(file);
        return { kind: 'other', state: file.state, result };
      }
      ({ snapshot, members = 1 } = result);
    }
    await expectUnchanged(file);
  } finally {
    await file.close();
  }
  const reading = { kind: 'snapshot', state: file.state, members, packed: packSnapshot(snapshot) } as const;
  const storeAs = isKept ? null : key;
  if (!wantsDigest) return { ...reading, digest: null, storeAs, storeDigestAs: null };
  const sidecar = await readSidecar(path);
  const recording = sidecar === null ? null : parseRecording(sidecar);
  const digest = digestSnapshot(memberPath(path, member, members), snapshot, recording, savedAtUs(file.state));
  return { ...reading, digest, storeAs, storeDigestAs: key === null ? null : digestKey(key, sidecar) };
}

/** Reports the progress of a file, occasionally and at its end. */
class ReadingProgress {
  private sentMs = Number.NEGATIVE_INFINITY;
  private curve: CurveSoFar | null = null;
  private from: number | null = null;

  constructor(private readonly send: (progress: ReadProgress) => void) {}

  /** The trace begins: its columns will be filled. */
  begin(columns: EventColumns): void {
    this.curve = new CurveSoFar(columns);
  }

  /** @param fraction of the file that was read */
  follow(fraction: number): void {
    const nowMs = performance.now();
    if (nowMs < this.sentMs + PACE_MS && fraction < 1) return;
    this.sentMs = nowMs;
    const live = this.curve?.read() ?? NOTHING;
    // In a file, blocks are before the trace.
    if (live.length > 0) this.from ??= fraction;
    this.send({ fraction, from: this.from ?? fraction, live });
  }
}
