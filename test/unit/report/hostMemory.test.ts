import assert from 'node:assert/strict';
import { join } from 'node:path';
import { digestSnapshot, type SnapshotDigest } from '../../../src/core/digest/digest.js';
import { hostMemory } from '../../../src/core/report/process/hostMemory.js';
import { BLANK_RECORDING } from '../../support/blankRecording.js';
import { FIXTURES, picklesUnder, readFile } from '../../support/snapshots.js';

const MIB = 1 << 20;

/** Digests of one snapshot, so of steady device memory, with a process of these sizes. */
async function runOf(resident: readonly number[], nodes: (at: number) => number | null): Promise<SnapshotDigest[]> {
  const [path] = picklesUnder(join(FIXTURES, 'recordings'));
  const snapshot = await readFile(path);
  return resident.map((residentBytes, i) =>
    digestSnapshot(path, snapshot, { ...BLANK_RECORDING, residentBytes, graphNodes: nodes(i) }),
  );
}

const rising = Array.from({ length: 12 }, (_, i) => (300 + 20 * i) * MIB);

describe('Host memory of the process', () => {
  it('is reported where it grows with the steps while device memory is steady, with the graphs that grow', async () => {
    const found = hostMemory(await runOf(rising, (i) => 100 * (i + 1)), 0);
    assert.deepEqual([found?.verdict, found?.bytes], ['hostMemory', 140 * MIB]);
    assert.match(found?.message ?? '', /^Host memory of the process grows from 380 MiB to 520 MiB/);
    assert.match(found?.message ?? '', /graphs of 1,200 nodes, 500 at first/);
    const without = hostMemory(await runOf(rising, () => null), 0);
    assert.doesNotMatch(without?.message ?? '', /graphs/);
  });

  it('is not reported for a warm-up, for noise, for few snapshots, for the trace, and where device memory grows too', async () => {
    const level = rising.map((bytes, i) => (i < 5 ? bytes : 420 * MIB));
    for (const sizes of [level, rising.map((bytes) => 300 * MIB + bytes / 1000), rising.slice(0, 8)])
      assert.equal(hostMemory(await runOf(sizes, () => null), 0), null);
    const traced = (await runOf(rising, () => null)).map((digest, i) => ({ ...digest, eventCount: 20_000 * i }));
    assert.equal(hostMemory(traced, 0), null, 'the trace itself');
    const [first, ...rest] = await runOf(rising, () => null);
    const growing = [first, ...rest].map((digest, i) => ({
      ...digest,
      devices: digest.devices.map((device) => ({ ...device, liveBytes: device.liveBytes * (i + 1) })),
    }));
    assert.equal(hostMemory(growing, 0), null);
  });
});
