/** Snapshots in forms that can be compared: whole columns, and the sums that brute force gives. */
import assert from 'node:assert/strict';
import { basename } from 'node:path';
import { digestSnapshot } from '../../src/core/digest/digest.js';
import type { Snapshot } from '../../src/core/model/snapshot.js';
import { bruteForce, type BruteForce } from './bruteForce.js';
import { readFile } from './snapshots.js';

/** Everything but the name of the format and the size of the file: equal content gives equal columns. */
export function columnsOf(snapshot: Snapshot): unknown {
  const { strings, frames, stacks, events, segmentEvents, failures, segments, blocks, annotations } = snapshot;
  const { traces, settings, absent } = snapshot;
  const some = (ids: Uint32Array | null): string[] | null => (ids === null ? null : texts(ids));
  const texts = (ids: Uint32Array): string[] => [...ids].map((id) => strings.text(id));
  return {
    frames: { name: texts(frames.name), file: texts(frames.file), line: frames.line },
    stacks,
    events: {
      ...events,
      category: some(events.category),
      metadata: some(events.metadata),
      compileContext: some(events.compileContext),
    },
    segmentEvents: { ...segmentEvents, stream: texts(segmentEvents.stream) },
    failures,
    segments: { ...segments, stream: texts(segments.stream), pool: texts(segments.pool) },
    blocks: { ...blocks, category: some(blocks.category) },
    annotations: { ...annotations, name: texts(annotations.name) },
    traces,
    settings,
    absent,
  };
}

/** @returns the sums per device and stack, stacks in words */
export function readable(snapshot: Snapshot): BruteForce {
  const digest = digestSnapshot('test', snapshot);
  const events = new Map(snapshot.traces.map((trace) => [trace.device, trace.count]));
  const stacks = new Map<string, [number, number]>();
  for (const group of digest.groups) {
    const key = JSON.stringify(
      group.frames.map((frame) => [
        digest.frames[frame].file,
        digest.frames[frame].line,
        digest.frames[frame].function,
      ]),
    );
    const sum = stacks.get(key) ?? [0, 0];
    stacks.set(key, [sum[0] + group.liveBytes, sum[1] + group.blocks]);
  }
  return {
    devices: Object.fromEntries(
      digest.devices.map((device) => [
        String(device.device),
        {
          live: device.liveBytes,
          reserved: device.reservedBytes,
          requested: device.requestedBytes,
          events: events.get(device.device) ?? 0,
        },
      ]),
    ),
    categories: liveByCategory(snapshot),
    stacks: [...stacks].map(([key, [bytes, blocks]]) => [JSON.parse(key) as [string, number, string][], bytes, blocks]),
  };
}

function liveByCategory({ blocks, strings }: Snapshot): Record<string, number> {
  const sums: Record<string, number> = {};
  blocks.category?.forEach((category, block) => {
    const name = strings.text(category);
    if (name !== '') sums[name] = (sums[name] ?? 0) + blocks.size[block];
  });
  return sums;
}

function sorted(result: BruteForce): BruteForce {
  return {
    ...result,
    stacks: [...result.stacks].sort((a, b) => (JSON.stringify(a[0]) < JSON.stringify(b[0]) ? -1 : 1)),
  };
}

/** Asserts that each of the files gives the sums that CPython gives. */
export async function compareWithPython(files: readonly string[]): Promise<void> {
  const expected = bruteForce(files);
  for (const [i, file] of files.entries()) {
    assert.deepEqual(sorted(readable(await readFile(file))), sorted(expected[i]), basename(file));
  }
}
