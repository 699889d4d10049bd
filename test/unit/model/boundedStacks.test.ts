import assert from 'node:assert/strict';
import { digestSnapshot } from '../../../src/core/digest/digest.js';
import { boundedStacks } from '../../../src/core/model/boundedStacks.js';
import { SMALLER_STACKS } from '../../../src/core/model/recordedFile.js';
import type { Snapshot } from '../../../src/core/model/snapshot.js';
import type { StringPool } from '../../../src/core/model/stringPool.js';
import { stackFrames } from '../../../src/core/attribution/ownerTally.js';
import { readBytes } from '../../support/snapshots.js';
import { frame, segment, snapshot, times } from '../../fuzz/made.js';

/** Segments of 512 bytes: the last stack holds most, then the one before it. */
const LINES = [1, 2, 3, 3, 4, 4, 4];

describe('Stacks beyond the limit', () => {
  const bytes = snapshot(
    LINES.map((line, i) => segment(0, 512 * (i + 1), (w) => w.list([frame(`f${line}`, `/home/u/m${line}.py`, line)]))),
  );
  const read = (): Promise<Snapshot> => readBytes(bytes);
  const bounded = async (stacks: number, frames: number): Promise<{ snapshot: Snapshot; omitted: number }> => {
    const whole = await read();
    const { omitted, ...tables } = boundedStacks(whole, whole.strings as StringPool, stacks, frames);
    return { snapshot: { ...whole, ...tables }, omitted };
  };
  const heldBy = (one: Snapshot): Record<string, number> => {
    const held: Record<string, number> = {};
    times(one.blocks.count, (block) => {
      const [{ file, line }] = stackFrames(one, one.blocks.stack[block]);
      held[`${file}:${line}`] = (held[`${file}:${line}`] ?? 0) + one.blocks.size[block];
    });
    return held;
  };

  it('are one stack, and no byte is lost', async () => {
    const { snapshot: one, omitted } = await bounded(2, 100);
    assert.equal(omitted, 2);
    assert.deepEqual(heldBy(one), { [`${SMALLER_STACKS}:-1`]: 1024, '/home/u/m3.py:3': 1024, '/home/u/m4.py:4': 1536 });
    const { groups, files, warnings } = digestSnapshot('x', one);
    assert.ok(warnings.some(({ code }) => code === 'tooManyStacks'));
    assert.deepEqual(groups.map(({ liveBytes }) => liveBytes).sort(), [1024, 1024, 1536]);
    assert.deepEqual([...files].sort(), ['/home/u/m3.py', '/home/u/m4.py', SMALLER_STACKS]);
  });

  it('are those whose frames are too many', async () => {
    const { snapshot: one } = await bounded(100, 1);
    assert.deepEqual(heldBy(one), { [`${SMALLER_STACKS}:-1`]: 2048, '/home/u/m4.py:4': 1536 });
  });

  it('are none in a snapshot that has fewer', async () => {
    const whole = await read();
    const { stacks, frames, omitted } = boundedStacks(whole, whole.strings as StringPool);
    assert.ok(stacks === whole.stacks && frames === whole.frames && omitted === 0);
  });
});
