/** Other settings of the allocator, as the timeline and language models ask for them. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { finish } from '../../../src/core/allocator/deviceAnswer.js';
import { changeText } from '../../../src/core/report/compare/changeText.js';
import { answerDevices } from '../../../src/core/report/peak/whatIfDevices.js';
import { workerHandlers } from '../../../src/worker/handlers.js';
import { SnapshotStore } from '../../../src/worker/snapshotStore.js';
import { WorkspaceFiles } from '../../../src/worker/workspaceFiles.js';
import { readingHere } from '../../support/readingHere.js';
import { FIXTURES, readFile } from '../../support/snapshots.js';
import { exampleFolder } from '../../support/workspaces.js';

const EXAMPLE = join(exampleFolder(), 'snapshots/step_0040.pickle');
const GIB = 2 ** 30;

describe('Other settings of the allocator', () => {
  const { signal } = new AbortController();
  const reading = readingHere();
  const worker = workerHandlers(new SnapshotStore(reading), reading, new WorkspaceFiles(), () => undefined);
  before(async () => {
    await worker.load({ path: EXAMPLE }, signal);
  });

  it('have the answer of the command line, but no smallest capacities for the timeline', async () => {
    const question = { capacity: GIB, settings: null };
    const devices = await worker.whatIfDevices({ path: EXAMPLE, ...question }, signal);
    const expected = finish(
      answerDevices(await readFile(EXAMPLE), null, { ...question, without: [], leaking: [] }, () => null),
    );
    assert.deepEqual(devices, expected);
    const { recorded, outcomes } = await worker.whatIf({ path: EXAMPLE, device: 0, capacity: GIB }, signal);
    assert.deepEqual(recorded, { ...expected[0].recorded, smallestCapacityBytes: null });
    assert.deepEqual(
      outcomes.map(({ name, reservedPeakBytes, fits }) => [name, reservedPeakBytes, fits]).sort(),
      expected[0].outcomes.map((one) => [changeText(one), one.reservedPeakBytes, one.fits]).sort(),
    );
    for (const { change, assignment } of outcomes) {
      const isSetting = change.includes(':');
      assert.equal(assignment, isSetting ? `PYTORCH_CUDA_ALLOC_CONF=${change}` : null);
    }
  });

  it('have a curve with the peak of the table, and the same heights in each part of it', async () => {
    const { outcomes } = await worker.whatIf({ path: EXAMPLE, device: 0, capacity: null }, signal);
    assert.ok(outcomes.length > 1);
    for (const { change, reservedPeakBytes } of outcomes) {
      const query = { path: EXAMPLE, device: 0, capacity: null, change, axis: 'events' as const, pixels: 50 };
      const whole = await worker.reservedWith({ ...query, window: null }, signal);
      assert.equal(Math.max(...whole.values), reservedPeakBytes, change);
      const part = await worker.reservedWith({ ...query, window: { from: 2000.5, to: 2100 } }, signal);
      assert.deepEqual([part.x[0], part.x[1], part.x.at(-1), part.end], [2000.5, 2001, 2100, 2100]);
      const full = await worker.reservedWith({ ...query, window: null, pixels: 8192 }, signal);
      for (const [i, x] of part.x.entries()) assert.equal(part.values[i], full.values[Math.floor(x)], `${change} ${x}`);
    }
  });

  it('end at the request that fails', async () => {
    const query = { path: EXAMPLE, device: 0, capacity: GIB, axis: 'events' as const, window: null, pixels: 100 };
    const { outcomes } = await worker.whatIf(query, signal);
    const { change, failedEvent } = outcomes[0];
    assert.ok(failedEvent !== null);
    const { x, end } = await worker.reservedWith({ ...query, change }, signal);
    assert.deepEqual([x.at(-1), end], [failedEvent - 1, failedEvent]);
    const after = { from: failedEvent + 1, to: failedEvent + 50 };
    assert.equal((await worker.reservedWith({ ...query, change, window: after }, signal)).x.length, 0);
  });

  it('are abandoned between two replays when the caller cancels', async () => {
    const abort = new AbortController();
    const answer = worker.whatIf({ path: EXAMPLE, device: 0, capacity: null }, abort.signal);
    setImmediate(() => {
      abort.abort();
    });
    await assert.rejects(async () => answer, { name: 'AbortError' });
  });

  it('have one sentence for a recording without a layout', async () => {
    const path = join(FIXTURES, 'profiler/chrome_trace.json.gz');
    await worker.load({ path }, signal);
    const { problem, recorded, outcomes } = await worker.whatIf({ path, device: 0, capacity: null }, signal);
    assert.match(problem ?? '', /^The recording has no segments/);
    assert.deepEqual([recorded, outcomes], [null, []]);
  });
});
