/** Recordings through the model: those of the project, and where the corpus is there, those of real GPUs. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { answerDevice, failureAnswer, finish, reservedAnswer } from '../../../src/core/allocator/deviceAnswer.js';
import { replayAsRecorded } from '../../../src/core/allocator/recordedReplay.js';
import { withSettings } from '../../../src/core/allocator/settings.js';
import { reservedWith, smallestCapacity, snapshotWith, whatIf } from '../../../src/core/allocator/whatIf.js';
import { deviceHistory, type TraceHistory } from '../../../src/core/model/history.js';
import { Action, BlockState, type Snapshot } from '../../../src/core/model/snapshot.js';
import { snapshotAt } from '../../../src/core/model/snapshotAt.js';
import { ringed } from '../../support/ringed.js';
import { everyNth, tries } from '../../support/sample.js';
import { seededRandom } from '../../support/seededRandom.js';
import { CORPUS, FIXTURES, hasCorpus, picklesUnder, readFile } from '../../support/snapshots.js';

const GIB = 2 ** 30;
const NO_QUESTION = { settings: null, capacity: null, without: null, steps: [], programs: [], wantsCapacities: true };
const SHAPES = join(FIXTURES, 'shapes');

const replayOf = (snapshot: Snapshot, device = 0) => replayAsRecorded(snapshot, deviceHistory(snapshot, device));

/** Replays that agree, of all devices with a trace of some length. */
async function expectAgreement(files: readonly string[], except: readonly RegExp[]): Promise<number> {
  let allocations = 0;
  for (const file of files) {
    const snapshot = await readFile(file);
    for (const { device, count } of snapshot.traces) {
      if (count < 20 || except.some((name) => name.test(file))) continue;
      const history = deviceHistory(snapshot, device);
      const { proof, requests } = replayAsRecorded(snapshot, history);
      assert.equal(proof.firstDifference, null, file);
      assert.ok(requests !== null);
      allocations += proof.predicted;
      assert.deepEqual([proof.predicted, proof.segmentsPredicted], [proof.allocations, proof.segments], file);
      const reserved = history.reserved ?? new Float64Array();
      assert.equal(requests.reservedPeakBytes, Math.max(...reserved), file);
      assert.equal(requests.reservedEndBytes, reserved.at(-1), file);
      const replayed = reservedWith(requests, {});
      assert.equal(replayed.length, (requests.firstFailure?.ordinal ?? count) + 1, file);
      for (let event = 0; event + 1 < replayed.length; event++) {
        // The recording has segments in events of their own, before that of the allocation.
        if (snapshot.events.action[requests.first + event] === Action.Alloc)
          assert.equal(replayed[event + 1], reserved[event + 1], `${file} ${event}`);
      }
      const { reservedPeakBytes, failedEvent } = whatIf(requests, {});
      if (requests.firstFailure === null) assert.equal(reservedPeakBytes, requests.reservedPeakBytes, file);
      else assert.equal(failedEvent, requests.firstFailure.ordinal, file);
    }
  }
  return allocations;
}

/** Segments, and where each allocated block begins. */
function layoutOf({ segments, blocks }: Snapshot): unknown {
  const at = (low: Uint32Array, high: Uint32Array, i: number): number => high[i] * 2 ** 32 + low[i];
  const live = Array.from({ length: blocks.count }, (_, i) => i).filter((i) => blocks.state[i] !== BlockState.Inactive);
  return {
    segments: Array.from({ length: segments.count }, (_, i) => [
      at(segments.addrLow, segments.addrHigh, i),
      segments.totalSize[i],
    ]),
    blocks: live.map((i) => at(blocks.addrLow, blocks.addrHigh, i)),
  };
}

describe('The allocator’s model', () => {
  it('predicts each address and segment of the project’s recordings, and their reserved bytes', async () => {
    const files = everyNth(picklesUnder(FIXTURES), 8);
    // Pinned host memory and CPU profiles have other allocators.
    const allocations = await expectAgreement([...files, ...picklesUnder(SHAPES)], [/pinned_host/, /profile/]);
    assert.ok(allocations > 80_000, `only ${allocations} allocations`);
  });

  it('predicts each address and segment of recordings of GPUs', async function () {
    if (!hasCorpus()) this.skip();
    const files = ['recorded_on_gpu', 'real'].flatMap((folder) => picklesUnder(join(CORPUS, folder)));
    // Its addresses were replaced.
    const allocations = await expectAgreement(files, [/does_not_reconcile_scrubbed/]);
    assert.ok(allocations > 50_000, `only ${allocations} allocations`);
  });

  it('predicts recordings of GPUs from any event on', async function () {
    if (!hasCorpus()) this.skip();
    const random = seededRandom(1);
    for (const file of ['recorded_on_gpu', 'real'].flatMap((folder) => picklesUnder(join(CORPUS, folder)))) {
      if (file.includes('does_not_reconcile_scrubbed')) continue;
      const whole = await readFile(file);
      for (const { device, count } of whole.traces) {
        if (count < 40) continue;
        const entries = 20 + random(count - 20);
        const { proof } = replayOf(ringed(whole, entries), device);
        assert.deepEqual([proof.firstDifference, proof.predicted], [null, proof.allocations], `${file} ${entries}`);
      }
    }
  });

  it('predicts a trace from any event on, because the state before it is walked back', async () => {
    for (const name of ['pending_free.pickle', 'expandable_unmap.pickle', 't213.p4.pickle', 'xpu_like.p4.pickle']) {
      const whole = await readFile(join(SHAPES, name));
      for (let entries = 20; entries < whole.traces[0].count; entries += 7) {
        const { proof } = replayOf(ringed(whole, entries));
        assert.deepEqual([proof.firstDifference, proof.predicted], [null, proof.allocations], `${name} ${entries}`);
      }
    }
  });

  it('has the recorded layout after any event if nothing changes', async () => {
    let compared = 0;
    for (const file of everyNth(picklesUnder(FIXTURES), 40)) {
      const snapshot = await readFile(file);
      for (const { device, count } of snapshot.traces) {
        const history = deviceHistory(snapshot, device);
        const { requests } = replayAsRecorded(snapshot, history);
        if (requests === null) continue;
        for (const event of [-1, count >> 2, count >> 1, count - 1]) {
          // The recording has a segment before the allocation that needs it.
          if (event >= 0 && snapshot.events.action[requests.first + event] !== Action.Alloc) continue;
          if (requests.firstFailure !== null && event >= requests.firstFailure.ordinal) continue;
          const own = snapshotWith(snapshot, history, requests, {}, event);
          const recorded = snapshotAt(snapshot, history, event);
          assert.deepEqual(layoutOf(own.snapshot), layoutOf(recorded.snapshot), `${file} ${event}`);
          assert.equal(own.unplacedBytes, 0);
          compared++;
        }
      }
    }
    assert.ok(compared > 20, `only ${compared}`);
  });

  it('names the first event that differs, and answers no question then', async () => {
    const snapshot = await readFile(join(SHAPES, 't213.p4.pickle'));
    const { birth, death } = deviceHistory(snapshot, 0).allocations;
    const row = birth.findIndex((one, i) => one > 100 && death[i] < snapshot.traces[0].count);
    const at = birth[row];
    const addrLow = snapshot.events.addrLow.slice();
    for (const event of [at, death[row] - 1, death[row]]) addrLow[event] += 512;
    const changed = { ...snapshot, events: { ...snapshot.events, addrLow } };
    const { replay, recorded, outcomes } = finish(answerDevice(changed, deviceHistory(changed, 0), NO_QUESTION));
    assert.equal(replay.firstDifference?.event, at);
    assert.match(
      replay.firstDifference.sentence,
      /^The recording cannot be replayed \(event \d+: .+ is expected at 0x/,
    );
    assert.deepEqual([replay.agrees, recorded, outcomes], [false, null, []]);
    assert.ok(replay.predicted < replay.allocations);
  });

  it('proves or refutes a damaged trace, and never fails', async () => {
    const whole = await Promise.all(
      ['multidevice_oom', 'expandable_unmap', 'pair_after'].map((name) => readFile(join(SHAPES, `${name}.pickle`))),
    );
    let refuted = 0;
    for (let seed = 0; seed < tries(3000, 400); seed++) {
      const random = seededRandom(seed);
      const snapshot = whole[seed % whole.length];
      const events = {
        ...snapshot.events,
        action: snapshot.events.action.slice(),
        addrLow: snapshot.events.addrLow.slice(),
        size: snapshot.events.size.slice(),
      };
      for (let change = 0; change <= random(4); change++) {
        const [at, from] = [random(events.count), random(events.count)];
        if (random(3) === 0) events.action[at] = random(10);
        else if (random(2) === 0) events.addrLow[at] = events.addrLow[from];
        else events.size[at] = [0, 1, 2 << 20, 20 << 20, 2 ** 32 - 1][random(5)];
      }
      const segments = seed % 5 === 0 ? { ...snapshot.segments, count: 0 } : snapshot.segments;
      const blocks = seed % 5 === 0 ? { ...snapshot.blocks, count: 0 } : snapshot.blocks;
      const damaged = { ...snapshot, events, segments, blocks };
      for (const { device } of damaged.traces) {
        const question = { ...NO_QUESTION, capacity: 64 << 20 };
        const { replay, outcomes } = finish(answerDevice(damaged, deviceHistory(damaged, device), question));
        assert.equal(replay.agrees, replay.firstDifference === null);
        assert.ok(
          outcomes.every(({ reservedPeakBytes }) => reservedPeakBytes <= 64 << 20),
          `seed ${seed}`,
        );
        refuted += Number(!replay.agrees);
      }
    }
    assert.ok(refuted > 100);
  });

  it('says why a recording has no layout to replay', async () => {
    const snapshot = await readFile(join(SHAPES, 't213.p4.pickle'));
    const reasonOf = (changed: Snapshot): string | undefined => replayOf(changed).proof.firstDifference?.sentence;
    assert.match(reasonOf({ ...snapshot, absent: ['trace'] }) ?? '', /no trace/);
    assert.match(reasonOf({ ...snapshot, absent: ['addresses'] }) ?? '', /no segments/);
    const settings = { PYTORCH_CUDA_ALLOC_CONF: 'backend:cudaMallocAsync' };
    assert.match(reasonOf({ ...snapshot, settings }) ?? '', /cudaMallocAsync/);
  });
});

describe('What-if on recordings of GPUs', () => {
  before(function () {
    if (!hasCorpus()) this.skip();
  });

  async function read(path: string): Promise<{ snapshot: Snapshot; history: TraceHistory }> {
    const snapshot = await readFile(join(CORPUS, path));
    return { snapshot, history: deviceHistory(snapshot, 0) };
  }
  const octree = picklesUnder(join(CORPUS, 'real')).find((path) => /octree.*my_snapshot/.test(path)) ?? '';
  const fullStep = 'recorded_on_gpu/full_train_step_bf16_torch2_11.pickle';

  it('fails where the recording ran out of memory, and says what other settings lack', async () => {
    const path = picklesUnder(join(CORPUS, 'real')).find((one) => one.includes('code_location')) ?? '';
    const snapshot = await readFile(path);
    const { recorded, outcomes } = finish(answerDevice(snapshot, deviceHistory(snapshot, 1), NO_QUESTION));
    assert.deepEqual(recorded?.failure, { event: 421, isReproduced: true });
    assert.equal(recorded.fits, false);
    const rounded = outcomes.find(({ setting }) => setting === 'roundup_power2_divisions:4');
    assert.ok(rounded !== undefined && rounded.shortBytes < recorded.shortBytes / 4);
    // The smallest capacity fits, and one unit less does not.
    const { requests } = replayOf(snapshot, 1);
    assert.ok(requests !== null);
    const min = smallestCapacity(requests, {});
    assert.equal(min, recorded.smallestCapacityBytes);
    assert.equal(whatIf(requests, { capacity: min }).fits, true);
    assert.equal(whatIf(requests, { capacity: min - (2 << 20) }).fits, false);
    const { smallestCapacityBytes, setting } = outcomes[0];
    const { capacityBytes } = recorded;
    assert.ok(smallestCapacityBytes !== null && capacityBytes !== null && smallestCapacityBytes < min);
    assert.deepEqual(failureAnswer(snapshot, deviceHistory(snapshot, 1)), {
      setting,
      leftBytes: null,
      shortBytes: smallestCapacityBytes - capacityBytes,
      isEstimate: false,
    });
  });

  it('reserves less with expandable segments where segments are fragmented', async () => {
    const snapshot = await readFile(octree);
    const { recorded, outcomes } = finish(answerDevice(snapshot, deviceHistory(snapshot, 0), NO_QUESTION));
    assert.ok(recorded !== null);
    const [best] = outcomes;
    assert.equal(best.setting, 'expandable_segments:True');
    assert.ok(recorded.reservedPeakBytes - best.reservedPeakBytes > 1.5 * GIB);
    assert.ok(best.reservedPeakBytes >= best.allocatedAtPeakBytes);
    // Every outcome changes something, and the best is first.
    const peaks = outcomes.map(({ reservedPeakBytes }) => reservedPeakBytes);
    assert.deepEqual(
      peaks,
      [...peaks].sort((a, b) => a - b),
    );
    assert.ok(outcomes.every((one) => one.reservedPeakBytes !== one.insteadOfBytes));
  });

  it('lays out again what is older than the trace, and says that this is an estimate', async () => {
    const { snapshot, history } = await read(fullStep);
    const answer = reservedAnswer(snapshot, history);
    assert.ok(answer !== null);
    const { requests } = replayAsRecorded(snapshot, history);
    assert.equal(requests?.reservedPeakBytes, Math.max(...(history.reserved ?? [])));
    const { setting, isEstimate, reservedPeakBytes, insteadOfBytes } = answer;
    assert.deepEqual([setting, isEstimate], ['expandable_segments:True', true]);
    assert.ok(insteadOfBytes - reservedPeakBytes > 5 * GIB);
    assert.ok(reservedPeakBytes >= history.liveAfter(history.peak));
  });

  it('leaves out allocations with the segments that only they hold', async () => {
    const { snapshot, history } = await read(fullStep);
    const { requests } = replayAsRecorded(snapshot, history);
    assert.ok(requests !== null);
    const without = new Uint8Array(history.allocations.count).fill(1);
    assert.equal(whatIf(requests, { without, restarts: true }).reservedPeakBytes, 0);
    const older = history.allocations.birth.findIndex((birth) => birth < 0);
    const one = new Uint8Array(without.length);
    one[older] = 1;
    const less = whatIf(requests, {
      without: one,
      restarts: true,
      settings: withSettings(requests.settings, 'expandable_segments:True'),
    });
    const all = whatIf(requests, {
      restarts: true,
      settings: withSettings(requests.settings, 'expandable_segments:True'),
    });
    assert.ok(less.allocatedAtPeakBytes <= all.allocatedAtPeakBytes);
  });

  it('releases what is cached before each step if the program empties the cache there', async () => {
    const snapshot = await readFile(octree);
    const { requests } = replayOf(snapshot);
    assert.ok(requests !== null);
    const emptied = whatIf(requests, { emptiedBefore: Array.from({ length: requests.count }, (_, event) => event) });
    assert.ok(emptied.reservedPeakBytes < whatIf(requests, {}).reservedPeakBytes);
  });
});
