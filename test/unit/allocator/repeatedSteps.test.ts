/** When memory ends, against programs that run until it does. */
import assert from 'node:assert/strict';
import { replayAsRecorded } from '../../../src/core/allocator/recordedReplay.js';
import { memoryEnd } from '../../../src/core/allocator/repeatedSteps.js';
import { deviceHistory } from '../../../src/core/model/history.js';
import { pickle } from '../../support/plainPickle.js';
import { tries } from '../../support/sample.js';
import { seededRandom } from '../../support/seededRandom.js';
import { readBytes } from '../../support/snapshots.js';
import { PlainAllocator, type PlainSettings } from './plainAllocator.js';

const MIB = 1 << 20;
const RECORDED_STEPS = 24;
const EXPANDABLE: PlainSettings = { expandable: true, maxSplit: Infinity, divisions: 0, capacity: Infinity };

interface Program {
  /** Sizes of what each step allocates and frees. */
  readonly temporary: readonly number[];
  /** Size of what each step replaces: the one from the step before is freed. */
  readonly kept: number;
  /** What each step leaves behind; 0 for none. */
  readonly leaked: number;
}

function programOf(seed: number, leaks = true): Program {
  const random = seededRandom(seed);
  return {
    temporary: Array.from({ length: 3 + random(6) }, () => 1 + random([MIB, 30 * MIB][random(2)])),
    kept: MIB + random(20 * MIB),
    leaked: leaks ? 100_000 + random(6 * MIB) : 0,
  };
}

/** Runs it for some steps, or until memory ends. @returns the first event of each step, and the whole steps */
function runSteps({ temporary, kept, leaked }: Program, settings: PlainSettings, steps: number) {
  const allocator = new PlainAllocator(settings, 1);
  const starts: number[] = [];
  let last: number | null = null;
  for (let step = 0; step < steps; step++) {
    starts.push(allocator.trace.length);
    const live: number[] = [];
    for (const size of [...temporary, ...(leaked > 0 ? [leaked] : []), kept]) {
      const address = allocator.malloc(size, 0);
      if (address === null) return { allocator, starts, whole: step };
      live.push(address);
    }
    const next = live.pop() ?? 0;
    if (leaked > 0) live.pop();
    if (last !== null) allocator.free(last);
    last = next;
    for (const address of live) allocator.free(address);
  }
  return { allocator, starts, whole: steps };
}

async function endOf(program: Program, capacity: number, settings = EXPANDABLE) {
  const { allocator, starts } = runSteps(program, settings, RECORDED_STEPS);
  const snapshot = await readBytes(pickle(allocator.snapshot(allocator.trace.length)));
  const history = deviceHistory(snapshot, 0);
  const { requests } = replayAsRecorded(snapshot, history);
  assert.ok(requests !== null);
  return memoryEnd(requests, history, starts, capacity);
}

describe('The end of memory', () => {
  it('is at the step at which the program itself runs out of it', async () => {
    let ends = 0;
    for (let seed = 0; seed < tries(200, 24); seed++) {
      const program = programOf(seed);
      const capacity = (200 + 40 * (seed % 5)) * MIB;
      const truth = runSteps(program, { ...EXPANDABLE, capacity }, 4000);
      if (truth.whole >= 4000 || truth.whole <= RECORDED_STEPS) continue;
      const end = await endOf(program, capacity);
      // The last step of the recording is not known to be whole.
      assert.equal(end?.afterSteps, truth.whole - RECORDED_STEPS + 1, `seed ${seed}`);
      ends++;
    }
    assert.ok(ends > 10, `only ${ends}`);
  });

  it('is not known of a program that does not grow, or too far away, or with fewer than two steps', async () => {
    assert.equal(await endOf(programOf(1, false), 400 * MIB), null);
    assert.equal(await endOf(programOf(1), 2 ** 50), null);
    const { allocator, starts } = runSteps(programOf(1), EXPANDABLE, 2);
    const snapshot = await readBytes(pickle(allocator.snapshot(allocator.trace.length)));
    const history = deviceHistory(snapshot, 0);
    const { requests } = replayAsRecorded(snapshot, history);
    assert.ok(requests !== null);
    assert.equal(memoryEnd(requests, history, starts, 400 * MIB), null);
  });

  it('is not known if the last steps free what older ones allocated, which goes on for a while only', async () => {
    const allocator = new PlainAllocator(EXPANDABLE, 1);
    const starts: number[] = [];
    const old = Array.from({ length: 40 }, () => allocator.malloc(4 * MIB, 0) ?? 0);
    for (let step = 0; step < RECORDED_STEPS; step++) {
      starts.push(allocator.trace.length);
      allocator.malloc(5 * MIB, 0);
      allocator.free(old.pop() ?? 0);
    }
    const snapshot = await readBytes(pickle(allocator.snapshot(allocator.trace.length)));
    const history = deviceHistory(snapshot, 0);
    const { requests } = replayAsRecorded(snapshot, history);
    assert.ok(requests !== null);
    assert.equal(memoryEnd(requests, history, starts, 2000 * MIB), null);
  });
});
