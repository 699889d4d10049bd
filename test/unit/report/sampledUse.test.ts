/** nvidia-smi's samples beside snapshots: memory outside PyTorch, where clock and device can be told. */
import assert from 'node:assert/strict';
import { digestSnapshot, type SnapshotDigest } from '../../../src/core/digest/digest.js';
import { readInput } from '../../../src/core/formats/readSnapshot.js';
import type { Recording } from '../../../src/core/model/recording.js';
import type { Trend } from '../../../src/core/model/trend.js';
import { buildReport } from '../../../src/core/report/buildReport.js';
import type { Report } from '../../../src/core/report/report.js';
import { renderText } from '../../../src/core/render/renderText.js';
import { bytesSource } from '../../support/bytesSource.js';
import { pickle, type Picklable } from '../../support/plainPickle.js';
import { readBytes } from '../../support/snapshots.js';
import { BLANK_RECORDING } from '../../support/blankRecording.js';

const MiB = 2 ** 20;
const SNAPSHOTS = 8;
const START_MS = Date.UTC(2026, 10, 20, 16, 0, 0);
const BETWEEN_MS = 60_000;

interface Live {
  /** MiB reserved, and live. */
  reserved: (i: number) => number;
  device?: number;
}

/** Snapshots a minute apart, in `runs/a`. */
function snapshots(
  { reserved, device = 0 }: Live,
  recording: (i: number) => Partial<Recording> | null = () => null,
): Promise<SnapshotDigest[]> {
  return Promise.all(
    Array.from({ length: SNAPSHOTS }, async (_, i) => {
      const frames: Picklable = [{ name: 'f', filename: '/w/train.py', line: 3 }];
      const sizes = [1000, ...Array.from({ length: (reserved(i) - 1000) / 100 }, () => 100)].map((size) => size * MiB);
      const blocks = sizes.map((size, at) => ({
        address: 4096 + at * 1000 * MiB,
        size,
        requested_size: size,
        state: 'active_allocated',
        frames,
      }));
      const segments = blocks.map((block) => ({
        device,
        address: block.address,
        total_size: block.size,
        stream: 0,
        blocks: [block],
      }));
      const time = (START_MS + i * BETWEEN_MS) * 1000;
      const event = { action: 'snapshot', addr: 0, size: 0, stream: 0, time_us: time };
      const bytes = pickle({
        segments,
        device_traces: Array.from({ length: device + 1 }, (_none, at) => (at === device ? [event] : [])),
      });
      const more = recording(i);
      const sidecar = more === null ? null : { ...BLANK_RECORDING, step: i, devices: [], ...more };
      return digestSnapshot(`runs/a/snap_${i}.pickle`, await readBytes(bytes), sidecar);
    }),
  );
}

interface Log {
  /** MiB used on a device at a time since the first snapshot, in minutes. */
  used: (minutes: number, index: number) => number;
  indices?: readonly number[];
  /** Of the machine's clock, in minutes before UTC. */
  zone?: number;
  /** Minutes before the first snapshot and behind the last. */
  margin?: number;
  seconds?: number;
  startMs?: number;
}

/** The output of nvidia-smi every few seconds. */
async function log({
  used,
  indices = [0],
  zone = 330,
  margin = 1,
  seconds = 5,
  startMs = START_MS,
}: Log): Promise<Trend> {
  const lines = ['timestamp, index, memory.used [MiB], memory.total [MiB]'];
  const span = (SNAPSHOTS - 1) * BETWEEN_MS + 2 * margin * 60_000;
  for (let ms = 0; ms <= span; ms += seconds * 1000) {
    for (const index of indices) {
      const wall = new Date(startMs - margin * 60_000 + ms + zone * 60_000).toISOString();
      const stamp = wall.replace('T', ' ').replaceAll('-', '/').replace('Z', '');
      lines.push(`${stamp}, ${index}, ${used(ms / 60_000 - margin, index)} MiB, 81559 MiB`);
    }
  }
  const result = await readInput(bytesSource('smi', Buffer.from(lines.join('\n') + '\n')));
  assert.equal(result.kind, 'trend');
  return result.trend;
}

function report(digests: readonly SnapshotDigest[], trend: Trend, path = 'runs/a/nvidia-smi.csv'): Report {
  return buildReport(digests, { files: [], rules: [] }, { trends: [{ path, trend }], cycles: [] }).report;
}

/** Findings of the only run, and what is said of the log. */
function said({ runs, trends }: Report): { findings: [string, number][]; warnings: string[] } {
  assert.equal(runs.length, 1);
  return {
    findings: runs[0].process.map(({ verdict, bytes }) => [verdict, bytes / MiB]),
    warnings: trends[0].warnings.map(({ code }) => code),
  };
}

const flat: Live = { reserved: () => 1000 };
const growing = (minutes: number): number => 1400 + 50 * Math.floor(minutes);
const NOTHING = { findings: [], warnings: [] };

describe('Samples of nvidia-smi beside snapshots', () => {
  it('report growth of memory outside PyTorch, in any time zone of their clock', async () => {
    const digests = await snapshots(flat);
    for (const zone of [330, 0, -480, 840]) {
      const found = report(digests, await log({ used: growing, zone }));
      assert.deepEqual(said(found), { findings: [['hostOnly', 300]], warnings: [] }, `${zone}`);
      assert.match(
        found.runs[0].process[0].message,
        /^Memory of device 0 outside PyTorch grows from 450 MiB to 750 MiB\. This is seen in nvidia-smi\.csv \(nvidia-smi\)\. /,
      );
      assert.match(renderText(found, { mostLines: 5 }), /Memory of device 0 outside PyTorch/);
    }
    // A folder above holds logs of the run as well.
    assert.equal(said(report(digests, await log({ used: growing }), 'nvidia-smi.csv')).findings.length, 1);
  });

  it('are silent where it is PyTorch that grows, or nothing does', async () => {
    const leak: Live = { reserved: (i) => 1000 + 100 * i };
    const leaking = await snapshots(leak);
    const follows = (minutes: number): number => 1400 + 100 * Math.max(0, Math.min(SNAPSHOTS - 1, Math.floor(minutes)));
    assert.deepEqual(said(report(leaking, await log({ used: follows }))), NOTHING);
    const digests = await snapshots(flat);
    assert.deepEqual(said(report(digests, await log({ used: () => 1400 }))), NOTHING);
    assert.deepEqual(
      said(report(digests, await log({ used: (minutes) => 1400 + 90 * (Math.floor(minutes) % 2) }))),
      NOTHING,
    );
  });

  it('may differ by PyTorch’s changes between a sample and a snapshot', async () => {
    const digests = await snapshots(flat);
    const shaken =
      (by: number) =>
      (minutes: number): number =>
        growing(minutes) + (Math.floor(minutes) % 2) * by;
    assert.deepEqual(said(report(digests, await log({ used: shaken(-3) }))).findings, [['hostOnly', 300]]);
    const still = (minutes: number): number => 1400 + (Math.floor(minutes) % 2) * 3;
    assert.deepEqual(said(report(digests, await log({ used: still }))), NOTHING);
    // What falls repeatedly is a process that comes and goes.
    assert.deepEqual(said(report(digests, await log({ used: shaken(-60) }))), NOTHING);
  });

  it('of another time, device or folder are unused, with a reason', async () => {
    const digests = await snapshots(flat);
    // Not a quarter of an hour off, which could be a zone.
    const apart = report(digests, await log({ used: growing, startMs: START_MS + 127 * 3_600_000 }));
    assert.deepEqual(said(apart), { findings: [], warnings: ['otherTimes'] });
    assert.match(apart.trends[0].warnings[0].message, /no time zone.*: log from the first snapshot to the last/);
    const early = await log({ used: growing, margin: -2 });
    assert.deepEqual(said(report(digests, early)), { findings: [], warnings: ['otherTimes'] }, 'ends before the last');
    const less = await log({ used: (minutes) => 500 + 50 * Math.floor(minutes) });
    assert.deepEqual(said(report(digests, less)), { findings: [], warnings: ['otherDevice'] });
    assert.deepEqual(said(report(digests, await log({ used: growing }), 'runs/b/nvidia-smi.csv')), NOTHING);
  });

  it('are matched by device, or where there is only one', async () => {
    const second = await snapshots({ ...flat, device: 1 });
    const only =
      (index: number) =>
      (minutes: number, at: number): number =>
        at === index ? growing(minutes) : 1400;
    const both = { indices: [0, 1] };
    assert.deepEqual(said(report(second, await log({ ...both, used: only(1) }))).findings, [['hostOnly', 300]]);
    assert.deepEqual(said(report(second, await log({ ...both, used: only(0) }))).findings, []);
    // CUDA_VISIBLE_DEVICES gives a process devices from 0 on: of several, which one is not known.
    const first = await snapshots(flat);
    assert.deepEqual(said(report(first, await log({ indices: [3], used: only(3) }))).findings, [['hostOnly', 300]]);
    assert.deepEqual(said(report(first, await log({ indices: [2, 3], used: only(3) }))).findings, []);
  });

  it('that run for days have many zones, and all must agree', async () => {
    const digests = await snapshots(flat);
    const during = (minutes: number): boolean => minutes >= 0 && minutes < SNAPSHOTS;
    const long = { margin: 20 * 60, seconds: 20 };
    // At night it grows as well, only the hour before the training is calm.
    const calm = await log({ ...long, used: (minutes) => (during(minutes) ? growing(minutes) : 1400) });
    assert.deepEqual(said(report(digests, calm)).findings, []);
    // Before and behind the training the device is free, and less is used than was reserved.
    const free = await log({ ...long, used: (minutes) => (during(minutes) ? growing(minutes) : 4) });
    assert.deepEqual(said(report(digests, free)), { findings: [['hostOnly', 300]], warnings: [] });
  });

  it('do not change the recorder’s values', async () => {
    const digests = await snapshots(flat, () => ({
      devices: [{ device: 0, capacityBytes: null, outsideBytes: 400 * MiB }],
    }));
    assert.deepEqual(said(report(digests, await log({ used: growing }))), NOTHING);
    const seen = await snapshots(flat, (i) => ({
      devices: [{ device: 0, capacityBytes: null, outsideBytes: (400 + 100 * i) * MiB }],
    }));
    assert.deepEqual(said(report(seen, await log({ used: () => 1400 }))).findings, [['hostOnly', 600]]);
  });

  it('give the headroom of a leak without a recorder', async () => {
    const digests = await snapshots({ reserved: (i) => 1000 + 100 * i });
    const follows = (minutes: number): number => 1500 + 100 * Math.max(0, Math.min(SNAPSHOTS - 1, Math.floor(minutes)));
    const { runs } = report(digests, await log({ used: follows }));
    const { runs: blind } = buildReport(digests, { files: [], rules: [] }).report;
    assert.equal(blind[0].forecast, null);
    assert.equal(runs[0].verdict, 'growing');
    const room = 81559 - 500 - 1700;
    assert.deepEqual(runs[0].forecast, {
      stepsToOom: Math.floor(room / 100),
      low: Math.floor(room / 100),
      high: Math.ceil(room / 100),
      capacityBytes: 81559 * MiB,
    });
  });
});
