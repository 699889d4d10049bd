import assert from 'node:assert/strict';
import { deviceHistory } from '../../../src/core/model/history.js';
import { historyWindow, type Mark } from '../../../src/core/timeline/timelineWindow.js';
import { Action, type Snapshot } from '../../../src/core/model/snapshot.js';
import type { Collection } from '../../../src/core/model/recording.js';
import { readBytes } from '../../support/snapshots.js';
import { seededRandom } from '../../support/seededRandom.js';
import { TrainingRun } from '../../support/trainingRun.js';
import { eventTimes } from '../../support/eventTimes.js';

const at = [{ filename: '/job/train.py', line: 1, name: 'step' }];

/** Blocks of all sizes come and go. */
async function busy(): Promise<Snapshot> {
  const run = new TrainingRun();
  const below = seededRandom(5);
  const live: number[] = [];
  for (let event = 0; event < 600; event++) {
    if (live.length > 20 && below(2) === 0) run.free(live.splice(below(live.length), 1)[0]);
    else live.push(run.allocate(512 * (1 + below(4000)), at));
  }
  return readBytes(run.dump());
}

function marksOf(snapshot: Snapshot, collections: readonly Collection[], pixels = 4000, axis = 'events'): Mark[] {
  const request = { axis: axis as 'events' | 'time', window: null, pixels };
  const { marks } = historyWindow(snapshot, deviceHistory(snapshot, 0), request, {
    steps: null,
    recording: { step: null, stepEndsUs: [], collections },
  });
  return marks.filter(({ kind }) => kind === 'collector');
}

describe('The garbage collector on the axis', () => {
  it('is marked where it freed memory, with the bytes and blocks that were freed while it ran', async () => {
    const snapshot = await busy();
    const { events, traces } = snapshot;
    const [{ first, count }] = traces;
    const times = eventTimes(events).subarray(first, first + count);
    const collections = [
      [40, 90],
      [200, 203],
      [700, 850],
    ].map(([from, to]) => ({ fromUs: times[from], toUs: times[to] }));
    const expected = collections.map(({ fromUs, toUs }) => {
      const freed = [...times.keys()].filter(
        (i) => times[i] >= fromUs && times[i] <= toUs && events.action[first + i] === Action.FreeCompleted,
      );
      // Frees have the requested size; the blocks of this process are that, rounded.
      const bytes = freed.reduce((sum, i) => sum + Math.ceil(events.size[first + i] / 512) * 512, 0);
      return { bytes, blocks: freed.length };
    });
    const marks = marksOf(snapshot, collections);
    assert.ok(expected.some(({ blocks }) => blocks > 3));
    assert.deepEqual(
      marks.map(({ collected }) => collected),
      expected.filter(({ blocks }) => blocks > 0),
    );
    for (const [i, { x }] of marksOf(snapshot, collections.slice(2), 4000, 'time').entries()) {
      const { fromUs, toUs } = collections[2 + i];
      assert.ok(x + times[0] >= fromUs && x + times[0] <= toUs);
    }
  });

  it('is not marked where nothing was freed, and where there is no room the largest are', async () => {
    const snapshot = await busy();
    const { first, count } = snapshot.traces[0];
    const timeUs = eventTimes(snapshot.events);
    assert.deepEqual(marksOf(snapshot, [{ fromUs: 0, toUs: 5 }]), [], 'before the trace');
    const all = Array.from({ length: count - 1 }, (_, i) => ({ fromUs: timeUs[first + i], toUs: timeUs[first + i] }));
    const every = marksOf(snapshot, all, 100_000);
    const few = marksOf(snapshot, all, 240);
    assert.equal(few.length, 10);
    const bytesOf = (marks: readonly Mark[]): number[] =>
      marks.map(({ collected }) => collected?.bytes ?? 0).sort((a, b) => b - a);
    assert.deepEqual(bytesOf(few), bytesOf(every).slice(0, 10));
    assert.deepEqual(
      few.map(({ x }) => x),
      few.map(({ x }) => x).sort((a, b) => a - b),
    );
  });
});
