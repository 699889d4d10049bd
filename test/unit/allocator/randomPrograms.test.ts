/** Random programs through a plain model of the allocator: the replay predicts each address of what it dumps. */
import assert from 'node:assert/strict';
import { replayAsRecorded } from '../../../src/core/allocator/recordedReplay.js';
import { DEFAULT_SETTINGS } from '../../../src/core/allocator/settings.js';
import { whatIf } from '../../../src/core/allocator/whatIf.js';
import { deviceHistory } from '../../../src/core/model/history.js';
import { pickle } from '../../support/plainPickle.js';
import { tries } from '../../support/sample.js';
import { seededRandom } from '../../support/seededRandom.js';
import { readBytes } from '../../support/snapshots.js';
import { PlainAllocator, type PlainSettings } from './plainAllocator.js';

const SEEDS = tries(400, 60);
const MIB = 1 << 20;
const SETTINGS: readonly PlainSettings[] = [
  { expandable: false, maxSplit: Infinity, divisions: 0, capacity: Infinity },
  { expandable: true, maxSplit: Infinity, divisions: 0, capacity: Infinity },
  { expandable: false, maxSplit: 24 * MIB, divisions: 0, capacity: Infinity },
  { expandable: false, maxSplit: Infinity, divisions: 4, capacity: Infinity },
  { expandable: true, maxSplit: Infinity, divisions: 8, capacity: Infinity },
];

/** Runs a program until it ends or memory does. @param empties true if it calls `empty_cache()` */
function runProgram(seed: number, settings: PlainSettings, empties = true): PlainAllocator {
  const random = seededRandom(seed);
  const allocator = new PlainAllocator(settings, seed);
  const live: number[] = [];
  const pending: number[] = [];
  const take = (from: number[]): number => from.splice(random(from.length), 1)[0];
  const sizes = [
    () => 1 + random(4096),
    () => 1 + random(MIB),
    () => MIB + random(12 * MIB),
    () => 8 * MIB + random(40 * MIB),
  ];
  for (let turn = 0; turn < 250; turn++) {
    const what = random(100);
    if (what < 55 || live.length === 0) {
      const address = allocator.malloc(sizes[random(sizes.length)](), random(3) === 0 ? 7 : 0);
      if (address === null) return allocator;
      live.push(address);
    } else if (what < 90) allocator.free(take(live));
    else if (what < 95) {
      const address = take(live);
      allocator.free(address, true);
      pending.push(address);
    } else if (what < 99 && pending.length > 0) allocator.complete(take(pending));
    else if (empties) allocator.emptyCache();
  }
  return allocator;
}

async function replayed(allocator: PlainAllocator, entries: number) {
  const snapshot = await readBytes(pickle(allocator.snapshot(entries)));
  return replayAsRecorded(snapshot, deviceHistory(snapshot, 0));
}

describe('Random programs of allocations', () => {
  for (const [i, settings] of SETTINGS.entries()) {
    it(`are predicted to the address, from their start and from the middle: ${JSON.stringify(settings)}`, async () => {
      for (let seed = 0; seed < SEEDS; seed++) {
        const allocator = runProgram(1000 * i + seed, settings);
        const { trace } = allocator;
        for (const entries of [trace.length, Math.min(trace.length, 20 + seededRandom(seed)(trace.length))]) {
          const { proof, requests } = await replayed(allocator, entries);
          const allocations = trace.slice(-entries).filter(({ action }) => action === 'alloc').length;
          assert.deepEqual(
            { ...proof, segments: 0, segmentsPredicted: 0 },
            {
              allocations,
              predicted: allocations,
              segments: 0,
              segmentsPredicted: 0,
              firstDifference: null,
              agrees: true,
            },
            `seed ${seed}, ${entries} entries`,
          );
          assert.equal(proof.segmentsPredicted, proof.segments);
          assert.ok(requests !== null);
          assert.equal(requests.reservedEndBytes, allocator.reserved);
          if (entries === trace.length) assert.equal(requests.reservedPeakBytes, allocator.reservedPeak);
        }
      }
    });
  }

  it('fail at the recorded event if they are replayed with the recorded capacity', async () => {
    let failures = 0;
    for (let seed = 0; seed < SEEDS; seed++) {
      for (const settings of SETTINGS) {
        const allocator = runProgram(seed, { ...settings, capacity: (60 + 20 * (seed % 8)) * MIB });
        const failed = allocator.trace.findIndex(({ action }) => action === 'oom');
        if (failed < 0) continue;
        failures++;
        const { proof, requests } = await replayed(allocator, allocator.trace.length);
        assert.ok(requests !== null, `seed ${seed} ${JSON.stringify([settings, proof])}`);
        const outcome = whatIf(requests, {});
        assert.equal(outcome.failedEvent, failed, `seed ${seed} ${JSON.stringify(settings)}`);
        assert.ok(outcome.shortBytes > 0);
        assert.equal(whatIf(requests, { capacity: requests.reservedPeakBytes + 2 ** 34 }).fits, true);
      }
    }
    assert.ok(failures > SEEDS, `only ${failures} programs fail`);
  });

  // A call of empty_cache() that finds nothing to release leaves no event.
  it('need as much under a setting as if they had run with it', async () => {
    for (let seed = 0; seed < SEEDS; seed++) {
      const [recorded, ...others] = SETTINGS.map((settings) => runProgram(seed, settings, false));
      const { requests } = await replayed(recorded, recorded.trace.length);
      assert.ok(requests !== null);
      for (const [i, other] of others.entries()) {
        const { expandable: isExpandable, maxSplit: maxSplitBytes, divisions } = SETTINGS[i + 1];
        const settings = {
          ...DEFAULT_SETTINGS,
          isExpandable,
          maxSplitBytes,
          divisions: DEFAULT_SETTINGS.divisions.map(() => divisions),
        };
        // Native blocks of equal size are chosen by address, which the driver decides.
        if (!isExpandable) continue;
        const outcome = whatIf(requests, { settings });
        assert.equal(outcome.reservedPeakBytes, other.reservedPeak, `seed ${seed}, setting ${i + 1}`);
        assert.equal(outcome.reservedEndBytes, other.reserved, `seed ${seed}, setting ${i + 1}`);
      }
    }
  });

  it('need as much with memory left out, freed early or allocated twice as if they had run so', async () => {
    const settings = SETTINGS[1];
    let [changed, repeated] = [0, 0];
    for (let seed = 0; seed < SEEDS; seed++) {
      const random = seededRandom(seed);
      const program = plainProgram(random);
      const recorded = runPlain(program, settings, () => 'as it is');
      const edits = program.map((): Edit => EDITS[random(EDITS.length)]);
      const edited = runPlain(program, settings, (i) => edits[i]);
      const { requests } = await replayed(recorded.allocator, recorded.allocator.trace.length);
      assert.ok(requests !== null);
      const without = new Uint8Array(requests.rows);
      const freedBefore = new Map<number, number[]>();
      const repeatedBefore = new Map<number, number[]>();
      program.forEach(({ end }, i) => {
        const ordinal = recorded.ordinals[i];
        const row = requests.row[ordinal];
        const early = recorded.begins[(i + end) >> 1];
        if (edits[i] === 'left out') without[row] = 1;
        if (edits[i] === 'early' || edits[i] === 'twice')
          freedBefore.set(early, [...(freedBefore.get(early) ?? []), row]);
        if (edits[i] !== 'twice' || end >= program.length) return;
        repeated++;
        repeatedBefore.set(recorded.begins[end], [...(repeatedBefore.get(recorded.begins[end]) ?? []), ordinal]);
      });
      const outcome = whatIf(requests, { without, freedBefore, repeatedBefore });
      assert.equal(outcome.reservedPeakBytes, edited.allocator.reservedPeak, `seed ${seed}`);
      assert.equal(outcome.reservedEndBytes, edited.allocator.reserved, `seed ${seed}`);
      changed += Number(edited.allocator.reservedPeak !== recorded.allocator.reservedPeak);
    }
    assert.ok(changed > SEEDS / 4 && repeated > SEEDS, `${changed} changed, ${repeated} repeated`);
  });
});

/** An allocation in each turn, and the turn before which it is freed. */
type PlainProgram = readonly { readonly size: number; readonly end: number }[];
const EDITS = ['as it is', 'as it is', 'as it is', 'left out', 'early', 'twice'] as const;
type Edit = (typeof EDITS)[number];

function plainProgram(random: (below: number) => number): PlainProgram {
  return Array.from({ length: 80 }, (_, i) => ({
    size: [1 + random(MIB), MIB + random(30 * MIB)][random(2)],
    end: i + 2 + random(40),
  }));
}

/**
 * Runs it. *Early* is freed halfway, *twice* too, and it is allocated again just before its recorded end.
 * @returns the first event of each turn, and the event of its allocation
 */
function runPlain(program: PlainProgram, settings: PlainSettings, editOf: (turn: number) => Edit) {
  const allocator = new PlainAllocator(settings, 1);
  const begins: number[] = [];
  const ordinals: number[] = [];
  const live = new Map<number, number>();
  const free = (i: number): void => {
    const address = live.get(i);
    if (address !== undefined) allocator.free(address);
    live.delete(i);
  };
  const allocate = (i: number): void => {
    const address = allocator.malloc(program[i].size, 0);
    assert.ok(address !== null);
    live.set(i, address);
  };
  const all = program.map((_, i) => i);
  for (const turn of all) {
    begins.push(allocator.trace.length);
    const isEarly = (i: number): boolean => editOf(i) === 'early' || editOf(i) === 'twice';
    for (const i of all) if (isEarly(i) && (i + program[i].end) >> 1 === turn) free(i);
    for (const i of all) if (editOf(i) === 'twice' && program[i].end === turn) allocate(i);
    for (const i of all) if (program[i].end === turn) free(i);
    if (editOf(turn) !== 'left out') allocate(turn);
    ordinals.push(allocator.trace.length - 1);
  }
  return { allocator, begins, ordinals };
}
