import assert from 'node:assert/strict';
import { Action, BlockState, NO_INDEX, type Snapshot } from '../../../src/core/model/snapshot.js';
import { TraceEnds } from '../../../src/core/model/traceEnds.js';
import { RandomTraining } from '../../support/randomTraining.js';
import { tries } from '../../support/sample.js';
import { readBytes } from '../../support/snapshots.js';

describe('The ends of earlier traces in a later one', () => {
  /** Dumps of a process, read completely. */
  function recorded(seed: number): Promise<Snapshot[]> {
    const training = new RandomTraining(seed, 4);
    const dumps = Array.from({ length: 6 }, () => {
      for (let step = 0; step < 3; step++) training.run();
      return training.dump(Infinity).bytes;
    });
    return Promise.all(dumps.map((bytes) => readBytes(bytes)));
  }

  function endsOf({ events, traces }: Snapshot): TraceEnds {
    return new TraceEnds(events, traces[0]);
  }

  /** @returns a copy without allocating events */
  function unlinked(snapshot: Snapshot): Snapshot {
    const { blocks } = snapshot;
    const copies = {
      addrLow: blocks.addrLow.slice(),
      requestedSize: blocks.requestedSize.slice(),
      state: blocks.state.slice(),
      allocEvent: new Uint32Array(blocks.count).fill(NO_INDEX),
    };
    return { ...snapshot, blocks: { ...blocks, ...copies } };
  }

  it('give each live block the event that allocated it', async () => {
    for (let seed = 1; seed <= tries(60, 10); seed++) {
      const dumps = await recorded(seed);
      const ends = endsOf(dumps[dumps.length - 1]);
      for (const dump of dumps) {
        const copy = unlinked(dump);
        assert.ok(ends.link(copy), `seed ${seed}`);
        assert.deepEqual(copy.blocks.allocEvent, dump.blocks.allocEvent, `seed ${seed}`);
      }
    }
  });

  it('contradict a block that differs, and one that is missing', async () => {
    for (let seed = 1; seed <= tries(60, 10); seed++) {
      const dumps = await recorded(seed);
      const ends = endsOf(dumps[5]);
      const live = dumps[2].blocks.state.findIndex((state) => state !== BlockState.Inactive);
      const changes: ((blocks: Snapshot['blocks']) => void)[] = [
        (blocks) => (blocks.requestedSize[live] += 1),
        (blocks) => (blocks.state[live] = BlockState.Inactive),
        (blocks) => (blocks.addrLow[live] += 512),
      ];
      for (const change of changes) {
        const copy = unlinked(dumps[2]);
        change(copy.blocks);
        assert.equal(ends.link(copy), false, `seed ${seed}`);
      }
      assert.equal(ends.link(unlinked({ ...dumps[2], traces: dumps[3].traces })), false, 'blocks of another moment');
    }
  });

  it('leave blocks from before the recording without an event', async () => {
    const dumps = await recorded(1);
    const { blocks } = dumps[0];
    const { addrLow, action } = dumps[5].events;
    // The only event at its address.
    const block = blocks.allocEvent.findIndex(
      (event) => event !== NO_INDEX && addrLow.indexOf(addrLow[event]) === event,
    );
    const unseen = action.slice();
    unseen[blocks.allocEvent[block]] = Action.FreeRequested;
    const older = unlinked(dumps[0]);
    assert.ok(endsOf({ ...dumps[5], events: { ...dumps[5].events, action: unseen } }).link(older));
    assert.deepEqual(
      older.blocks.allocEvent,
      blocks.allocEvent.map((event, i) => (i === block ? NO_INDEX : event)),
    );
  });
});
