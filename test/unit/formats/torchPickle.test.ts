import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { digestSnapshot } from '../../../src/core/digest/digest.js';
import { SnapshotError } from '../../../src/core/bytes/snapshotError.js';
import type { EventColumns } from '../../../src/core/model/eventColumns.js';
import { SpareColumns } from '../../../src/core/model/spareColumns.js';
import { Action, BlockState, NO_INDEX, NO_STACK, UNKNOWN_LINE } from '../../../src/core/model/snapshot.js';
import { hasPython } from '../../support/bruteForce.js';
import { columnsOf, compareWithPython } from '../../support/columns.js';
import { FIXTURES, picklesUnder, readBytes, readFile } from '../../support/snapshots.js';
import { wholeSnapshot } from '../../support/wholeSnapshot.js';

const SHAPES = join(FIXTURES, 'shapes');

describe('PyTorch snapshot pickles', () => {
  it('give the sums per device and stack that CPython gives, on our fixtures', async function () {
    if (!hasPython()) {
      console.log('    skipped: no python3 to compare with');
      this.skip();
    }
    const files = [...picklesUnder(SHAPES), ...picklesUnder(join(FIXTURES, 'recordings'))];
    assert.ok(files.length > 40);
    await compareWithPython(files);
  });

  it('are the same for every protocol and for the C++ writer', async () => {
    const models = await Promise.all(
      ['t213.p2', 't213.p3', 't213.p4', 't213.p5'].map((name) => readFile(join(SHAPES, `${name}.pickle`))),
    );
    for (const model of models.slice(1)) assert.deepEqual(columnsOf(model), columnsOf(models[0]));
    const cpp = await readFile(join(SHAPES, 'cpp_pickler.pickle'));
    assert.equal(cpp.traces[0].count, 6);
    assert.equal(digestSnapshot('', cpp).devices[0].liveBytes, 512);
  });

  it('are the same whatever the size of the reads', async () => {
    for (const name of ['t213.p4.pickle', 'cpp_pickler.pickle', 'multidevice_oom.pickle']) {
      const bytes = readFileSync(join(SHAPES, name));
      const whole = columnsOf(await readBytes(bytes));
      for (const chunkSize of [1, 7, 4096]) {
        assert.deepEqual(columnsOf(await readBytes(bytes, { chunkSize })), whole, `${name} by ${chunkSize}`);
      }
    }
  });

  it('are the same in columns that an earlier snapshot filled', async () => {
    let spare: SpareColumns | undefined;
    let columns: EventColumns | undefined;
    for (const file of picklesUnder(SHAPES)) {
      const snapshot = await readFile(file, { spare, onEvents: (made) => (columns = made) });
      assert.ok(columns !== undefined);
      assert.equal(snapshot.events.action.buffer, columns.action.buffer);
      assert.deepEqual(wholeSnapshot(snapshot), wholeSnapshot(await readFile(file)), file);
      spare = new SpareColumns(columns, snapshot);
    }
  });

  it('keep addresses beyond 2^63 to the bit', async () => {
    const snapshot = await readFile(join(SHAPES, 'xpu_like.p4.pickle'));
    const { addrHigh, addrLow, count } = snapshot.segments;
    assert.ok(count > 0);
    const addresses = [...addrHigh].map((high, i) => (BigInt(high) << 32n) | BigInt(addrLow[i]));
    assert.ok(addresses.every((address) => address > 1n << 63n));
    // Every event of the trace lies in a segment or in one that was freed: at least the live blocks' addresses match.
    const { blocks, events } = snapshot;
    for (let block = 0; block < blocks.count; block++) {
      if (blocks.allocEvent[block] === NO_INDEX) continue;
      assert.equal(events.addrHigh[blocks.allocEvent[block]], blocks.addrHigh[block]);
      assert.equal(events.addrLow[blocks.allocEvent[block]], blocks.addrLow[block]);
    }
  });

  it('link every live block of a whole recording to its own allocation', async () => {
    for (const name of ['t213.p4.pickle', 'ctx_none.p4.pickle', 'skip_free_requested.p4.pickle']) {
      const { blocks, events } = await readFile(join(SHAPES, name));
      for (let block = 0; block < blocks.count; block++) {
        if (blocks.state[block] === BlockState.Inactive) continue;
        const event = blocks.allocEvent[block];
        assert.notEqual(event, NO_INDEX, name);
        assert.equal(events.action[event], Action.Alloc);
        assert.equal(events.size[event], blocks.requestedSize[block]);
        // Without a recording context events have no stack at all, and blocks an empty one.
        if (events.stack[event] !== NO_STACK) assert.equal(events.stack[event], blocks.stack[block]);
      }
    }
  });

  it('call the line 2^64-1 unknown, and keep several devices apart', async () => {
    const snapshot = await readFile(join(SHAPES, 'multidevice_oom.pickle'));
    assert.ok(snapshot.frames.line.includes(UNKNOWN_LINE));
    assert.deepEqual(
      snapshot.traces.map((trace) => trace.count),
      [4, 0, 8],
    );
    assert.ok(snapshot.events.action.includes(Action.OutOfMemory));
  });

  it('carry the allocator settings as plain values', async () => {
    const { settings } = await readFile(join(SHAPES, 't213.p4.pickle'));
    assert.equal(settings?.['max_split_size'], -1);
    assert.equal(settings['expandable_segments'], false);
  });

  it('cut at any byte are truncated, never anything else', async () => {
    const bytes = readFileSync(join(SHAPES, 'cpp_pickler.pickle'));
    const long = readFileSync(join(SHAPES, 'pending_free.pickle'));
    for (const whole of [bytes, long]) {
      for (let length = 0; length < whole.length; length++) {
        const error: unknown = await readBytes(whole.subarray(0, length)).then(
          () => null,
          (reason: unknown) => reason,
        );
        // One byte is not yet enough to know a pickle by.
        const reasons = length === 1 ? ['notASnapshot', 'truncated'] : ['truncated'];
        assert.ok(SnapshotError.is(error), `cut at ${length}: ${String(error)}`);
        assert.ok(reasons.includes(error.reason), `cut at ${length}: ${error.reason}`);
      }
    }
  });

  it('may be followed by padding, not by anything else', async () => {
    const bytes = readFileSync(join(SHAPES, 'cpp_pickler.pickle'));
    await readBytes(Buffer.concat([bytes, Buffer.alloc(3)]));
    await assert.rejects(readBytes(Buffer.concat([bytes, bytes])), (error) => SnapshotError.is(error, 'unsupported'));
  });
});
