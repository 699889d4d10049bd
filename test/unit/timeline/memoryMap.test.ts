import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { serialize } from 'node:v8';
import { deviceTotals } from '../../../src/core/digest/digest.js';
import { MAX_PIECES, MAX_SEGMENTS, memoryMap, PIECE_KINDS } from '../../../src/core/timeline/memoryMap.js';
import { BlockState, NO_INDEX, type Snapshot } from '../../../src/core/model/snapshot.js';
import { NO_OWNER, PIECES, type MemoryMapAnswer } from '../../../src/protocol/mapData.js';
import { workerHandlers } from '../../../src/worker/handlers.js';
import { SnapshotStore } from '../../../src/worker/snapshotStore.js';
import { WorkspaceFiles } from '../../../src/worker/workspaceFiles.js';
import { pickle, Tuple } from '../../support/plainPickle.js';
import { readingHere } from '../../support/readingHere.js';
import { CORPUS, FIXTURES, hasCorpus, picklesUnder, readBytes, readFile } from '../../support/snapshots.js';
import { newFolder, removeCopies } from '../../support/workspaces.js';

const MiB = 1024 * 1024;

interface Size {
  reserved: number;
  live: number;
  /** Bytes of its free blocks. */
  largestFree: number;
  blocks: number;
}

/** Every segment of a device, by looking at each block of the snapshot. */
function bruteForce({ segments, blocks }: Snapshot, device: number): Map<number, Size> {
  const sizes = new Map<number, Size>();
  for (let block = 0; block < blocks.count; block++) {
    const segment = blocks.segment[block];
    if (segments.device[segment] !== device) continue;
    const size = sizes.get(segment) ?? { reserved: segments.totalSize[segment], live: 0, largestFree: 0, blocks: 0 };
    sizes.set(segment, size);
    if (blocks.state[block] === BlockState.Inactive) size.largestFree = Math.max(size.largestFree, blocks.size[block]);
    else {
      size.live += blocks.size[block];
      size.blocks++;
    }
  }
  return sizes;
}

const sumOf = (values: Iterable<number>): number => [...values].reduce((sum, value) => sum + value, 0);

describe('The memory map', () => {
  after(removeCopies);

  it('has every byte of every segment once, at every width', async () => {
    const files = [...picklesUnder(join(FIXTURES, 'shapes')), ...picklesUnder(join(FIXTURES, 'recordings'))];
    if (hasCorpus())
      files.push(
        ...picklesUnder(CORPUS)
          .filter((file) => !/t11[23]|_list/.test(file))
          .slice(0, 20),
      );
    let merged = 0;
    for (const file of files) {
      const snapshot = await readFile(file);
      for (const { device, liveBytes } of deviceTotals(snapshot)) {
        const truth = bruteForce(snapshot, device);
        for (const pixels of [1, 40, 900]) {
          const at = `${basename(file)}, device ${device}, ${pixels} pixels`;
          const { total, all, segments, others, pieces } = memoryMap(snapshot, device, { pixels, rows: 3, only: null });
          assert.equal(total.liveBytes, liveBytes, at);
          assert.equal(total.freeBytes, total.reservedBytes - total.liveBytes, at);
          assert.equal(total.reservedBytes, sumOf(all.map(({ reservedBytes }) => reservedBytes)), at);
          assert.equal(others.liveBytes + sumOf(segments.map((segment) => segment.liveBytes)), liveBytes, at);
          assert.equal(others.segments + segments.length, total.segments, at);
          for (const [row, segment] of segments.entries()) {
            const size = truth.get(segment.segment);
            if (size === undefined) continue;
            assert.deepEqual(
              [segment.reservedBytes, segment.liveBytes, segment.largestFreeBytes],
              [size.reserved, size.live, size.largestFree],
              at,
            );
            const own = [...pieces.row.keys()].filter((piece) => pieces.row[piece] === row);
            assert.equal(sumOf(own.map((piece) => pieces.bytes[piece])), size.reserved, at);
            assert.equal(sumOf(own.map((piece) => pieces.liveBytes[piece])), size.live, at);
            assert.equal(sumOf(own.map((piece) => pieces.blocks[piece])), size.blocks, at);
          }
          for (let piece = 0; piece < pieces.row.length; piece++) {
            const block = pieces.block[piece];
            const kind = PIECE_KINDS[pieces.kind[piece]];
            if (kind === 'mixed') merged++;
            else assert.equal(block === NO_INDEX, kind === 'free' || kind === 'unknown', at);
            if (kind === 'live') assert.equal(pieces.bytes[piece], snapshot.blocks.size[block], at);
          }
        }
      }
    }
    assert.ok(merged > 100, `${merged} merged`);
  });

  it('names pinned segments, pools and streams, and limits their number', async () => {
    const at = (line: number) => [{ filename: 'train.py', line, name: 'keep' }];
    const live = (address: number, size: number, state = 'active_allocated') => ({
      address,
      size,
      requested_size: size,
      state,
      frames: at(1),
    });
    const free = (address: number, size: number) => ({
      address,
      size,
      requested_size: 0,
      state: 'inactive',
      frames: [],
    });
    const segment = (address: number, total: number, blocks: object[], more: object = {}) => ({
      device: 0,
      address,
      total_size: total,
      stream: 0,
      segment_type: 'large',
      segment_pool_id: new Tuple([0, 0]),
      is_expandable: false,
      blocks,
      ...more,
    });
    const G = 1 << 30;
    const snapshot = await readBytes(
      pickle({
        segments: [
          segment(G, 100 * MiB, [free(G, 60 * MiB), live(G + 60 * MiB, MiB), free(G + 61 * MiB, 39 * MiB)]),
          segment(2 * G, 20 * MiB, [live(2 * G, 20 * MiB, 'active_pending_free')], { stream: 7 }),
          segment(3 * G, 2 * MiB, [live(3 * G, 512), free(3 * G + 512, 2 * MiB - 512)], { segment_type: 'small' }),
          // Free blocks beyond the segment's end, and blocks without size.
          segment(4 * G, MiB, [
            live(4 * G, MiB),
            free(4 * G, MiB),
            ...Array.from({ length: 5000 }, () => free(4 * G, 0)),
          ]),
          segment(
            5 * G,
            0,
            Array.from({ length: 5000 }, () => free(5 * G, 0)),
          ),
        ] as never,
        device_traces: [[]],
        allocator_settings: {},
        external_annotations: [],
      }),
    );
    const { total, segments, pieces } = memoryMap(snapshot, 0, { pixels: 1e6, rows: 1, only: null });
    assert.deepEqual(
      segments.map(({ reservedBytes, largestFreeBytes, isPinned }) => [
        reservedBytes / MiB,
        largestFreeBytes,
        isPinned,
      ]),
      [
        [100, 60 * MiB, true],
        [20, 0, false],
        [2, 2 * MiB - 512, false],
        [1, 0, false],
        [0, 0, false],
      ],
    );
    assert.deepEqual([total.pinnedSegments, total.largestFreeBytes], [1, 60 * MiB]);
    const alone = memoryMap(snapshot, 0, { pixels: 500, rows: 9, only: segments[1].segment });
    assert.deepEqual([alone.segments, alone.total], [[segments[1]], total]);
    assert.equal(alone.others.reservedBytes, total.reservedBytes - segments[1].reservedBytes);
    assert.deepEqual(
      [...pieces.kind].map((kind) => PIECE_KINDS[kind]),
      ['free', 'live', 'free', 'pending', 'live', 'free', 'live'],
    );
  });

  it('is a small answer of a large snapshot, exact all the same', async () => {
    const name = (i: number): string => `${'ж'.repeat(200)}${i}.py`;
    const segments = Array.from({ length: 400 }, (_, s) => {
      const start = (s + 1) * (1 << 26);
      const blocks = Array.from({ length: 128 }, (_, b) => ({
        address: start + b * 4096,
        size: 4096,
        requested_size: 4096,
        state: b % 3 === 0 ? 'inactive' : 'active_allocated',
        frames: [{ filename: name((s * 128 + b) % 9000), line: b, name: 'f'.repeat(100) }],
      }));
      const pool = new Tuple([s, 0]);
      return {
        device: 0,
        address: start,
        total_size: 128 * 4096,
        stream: s,
        segment_type: 'large',
        segment_pool_id: pool,
        blocks,
      };
    });
    const path = join(newFolder(), 'many_step_1.pickle');
    writeFileSync(path, pickle({ segments, device_traces: [[]], allocator_settings: {}, external_annotations: [] }));
    const reading = readingHere();
    const worker = workerHandlers(new SnapshotStore(reading), reading, new WorkspaceFiles(), () => undefined);
    const { signal } = new AbortController();
    await worker.load({ path }, signal);
    const map: MemoryMapAnswer = await worker.memoryMap(
      { path, device: 0, event: 1e9, pixels: 16_384, rows: 20, only: null, changed: null },
      signal,
    );
    const size = serialize(map).byteLength;
    assert.ok(size < 200_000, `${size} bytes`);
    assert.ok(map.pieces.row.length <= MAX_PIECES && map.segments.length === MAX_SEGMENTS);
    assert.deepEqual([map.total.segments, map.total.reservedBytes], [400, 400 * 128 * 4096]);
    assert.equal(map.total.liveBytes, 400 * 85 * 4096);
    assert.equal(sumOf(map.pools.map(({ reservedBytes }) => reservedBytes)), map.total.reservedBytes);
    assert.equal(map.pools.length, 65);
    assert.ok(map.pieces.block.some((owner) => owner === NO_OWNER) && map.owners.length > 10);
  });

  it('has the same kinds on both sides', () => {
    assert.deepEqual(PIECES, PIECE_KINDS);
  });
});
