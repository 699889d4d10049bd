import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DeviceWhatIf } from '../../../src/core/report/peak/whatIfDevices.js';
import { pickle } from '../../support/plainPickle.js';
import { FIXTURES } from '../../support/snapshots.js';
import { PlainAllocator } from '../allocator/plainAllocator.js';
import { runHere } from './runHere.js';

const MIB = 1 << 20;
const SETTINGS = { expandable: false, maxSplit: Infinity, divisions: 0 };
const RECORDING = join(FIXTURES, 'recordings/aux_loss/snapshots/snapshot_0040.pickle');

describe('leakline what-if', () => {
  let folder: string;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'leakline-what-if-'));
  });
  after(() => {
    rmSync(folder, { recursive: true });
  });

  /** Twice 12 MiB that are freed, then 20 MiB: two segments of 12 MiB stay cached unless memory is short. */
  function fragmented(capacity: number): string {
    const allocator = new PlainAllocator({ ...SETTINGS, capacity }, 1);
    const small = [allocator.malloc(12 * MIB, 0), allocator.malloc(12 * MIB, 0)];
    const kept = allocator.malloc(MIB / 2, 0);
    for (const address of small) allocator.free(address ?? 0);
    allocator.malloc(20 * MIB, 0);
    if (kept !== null) allocator.malloc(30 * MIB, 0);
    const path = join(folder, `${capacity}.pickle`);
    writeFileSync(path, pickle(allocator.snapshot(allocator.trace.length)));
    return path;
  }
  const answers = async (...args: string[]): Promise<DeviceWhatIf[]> => {
    const { status, stdout, stderr } = await runHere('what-if', '--json', ...args);
    assert.equal(stderr, '');
    assert.equal(status, 0);
    return (JSON.parse(stdout) as { devices: DeviceWhatIf[] }).devices;
  };

  it('proves the replay, then lists the settings that change what is reserved, the best first', async () => {
    const [{ device, replay, recorded, outcomes }] = await answers(fragmented(Infinity));
    assert.equal(device, 0);
    assert.deepEqual(replay, {
      allocations: 5,
      predicted: 5,
      segments: 5,
      segmentsPredicted: 5,
      firstDifference: null,
      agrees: true,
    });
    assert.deepEqual([recorded?.reservedPeakBytes, recorded?.capacityBytes], [76 * MIB, null]);
    assert.equal(outcomes[0].setting, 'expandable_segments:True');
    // On pages of 20 MiB, the two of the first allocations serve 20 MiB and most of 30 MiB, so a third is enough.
    assert.equal(outcomes[0].reservedPeakBytes, 62 * MIB);
    const { stdout } = await runHere('what-if', fragmented(Infinity));
    assert.match(stdout, /^Device 0: 5 allocations and 5 segments replayed, all as recorded\.\n/);
    assert.match(stdout, /\n {2}expandable_segments:True +62\.0 MiB +-14\.0 MiB +62\.0 MiB\n/);
  });

  it('says whether a capacity is enough, and which is', async () => {
    const [{ recorded, outcomes }] = await answers(
      '--capacity',
      '60MiB',
      '--set',
      'expandable_segments:True',
      fragmented(Infinity),
    );
    assert.ok(recorded !== null);
    // 2 MiB of the small pool, and segments of 20 and 30 MiB: the cached ones are released.
    assert.deepEqual([recorded.fits, recorded.smallestCapacityBytes], [true, 52 * MIB]);
    assert.deepEqual([outcomes.length, outcomes[0].fits, outcomes[0].shortBytes], [1, false, 2 * MIB]);
  });

  it('fails where the recording did, and says what other settings would have needed', async () => {
    const path = fragmented(50 * MIB);
    const [{ recorded, outcomes }] = await answers(path);
    assert.deepEqual(recorded?.failure?.isReproduced, true);
    assert.deepEqual([recorded.fits, recorded.shortBytes, recorded.smallestCapacityBytes], [false, 2 * MIB, 52 * MIB]);
    assert.ok(outcomes.every(({ fits }) => fits === false));
    assert.match(
      (await runHere('what-if', path)).stdout,
      /Out of memory at event \d+: the replay .* fails there too\./,
    );
  });

  it('leaves out the allocations of lines, by the end of their path', async () => {
    const [{ recorded, outcomes }] = await answers('--without', 'model.py:14', RECORDING);
    // Settings that change nothing beyond that are not listed.
    const [less] = outcomes;
    assert.deepEqual([less.setting, less.isEstimate, less.insteadOfBytes], [null, false, recorded?.reservedPeakBytes]);
    assert.equal(less.reservedPeakBytes, less.insteadOfBytes - 8 * MIB);
    assert.equal(outcomes.length, 1);
    const { status, stderr } = await runHere('what-if', '--without', 'model.py:1', RECORDING);
    assert.equal(status, 2);
    assert.match(stderr, /--without model\.py:1: that line allocates nothing in the recording\./);
  });

  it('says why a recording cannot be replayed', async () => {
    const { status, stdout } = await runHere('what-if', join(FIXTURES, 'profiler/chrome_trace.json.gz'));
    assert.equal(status, 0);
    assert.match(stdout, /^Device 0: The recording has no segments/);
  });

  it('refuses wrong arguments with one sentence each', async () => {
    for (const [args, sentence] of [
      [['--capacity', 'much', RECORDING], /--capacity takes the memory of a device, such as 24GiB, not 'much'\./],
      [['--set', 'max_split_size_mb:1', RECORDING], /--set: max_split_size_mb takes .* at least 20, not '1'\./],
      [['--without', 'model.py', RECORDING], /--without takes FILE:LINE, such as train\.py:40, not 'model\.py'\./],
      [['--sarif', RECORDING], /--sarif does not work with what-if\./],
      [[RECORDING, RECORDING], /what-if takes one snapshot, not 2\./],
    ] as const) {
      const { status, stdout, stderr } = await runHere('what-if', ...args);
      assert.deepEqual([status, stdout], [2, '']);
      assert.match(stderr, sentence);
    }
  });
});
