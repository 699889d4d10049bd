import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { SnapshotError, type SnapshotErrorReason } from '../../../src/core/bytes/snapshotError.js';
import { FORBIDDEN_OPCODES } from '../../../src/core/pickle/opcodes.js';
import { mutated } from '../../support/mutate.js';
import { PickleWriter } from '../../support/pickleWriter.js';
import { tries } from '../../support/sample.js';
import { seededRandom } from '../../support/seededRandom.js';
import { FIXTURES, readBytes } from '../../support/snapshots.js';

async function reasonOf(bytes: Uint8Array): Promise<SnapshotErrorReason | 'read'> {
  try {
    await readBytes(bytes);
    return 'read';
  } catch (error) {
    if (SnapshotError.is(error)) return error.reason;
    throw error;
  }
}

describe('Hostile pickles', () => {
  it('are refused by name and offset when they could reach code', async () => {
    for (const [opcode, name] of FORBIDDEN_OPCODES) {
      const bytes = new PickleWriter().bytes(0x4e, opcode).text('os').stop();
      await assert.rejects(readBytes(bytes), (error) => {
        assert.ok(SnapshotError.is(error, 'forbidden'), name);
        assert.match(error.message, new RegExp(`\\(${name} at byte 3\\)`));
        return true;
      });
    }
  });

  it('a call of os.system is not even looked at', async () => {
    const bytes = Buffer.from('\x80\x02cos\nsystem\nX\x04\x00\x00\x00true\x85R.', 'latin1');
    assert.equal(await reasonOf(bytes), 'forbidden');
  });

  it('may give numbers names, in any entry of a trace', async () => {
    // {'action': 'alloc', 'addr': N} five times, the number, keys and action by what the memo holds.
    const [ref, memo, mark] = [0x68, 0x94, 0x28];
    const entry = [0x7d, memo, mark, ref, 1, ref, 2, ref, 3, ref, 0, ref, 4, ref, 0, 0x75];
    const bytes = new PickleWriter()
      .bytes(0x8a, 5, 1, 2, 3, 4, 5, memo, 0x30)
      .text('action')
      .bytes(memo, 0x30)
      .text('alloc')
      .bytes(memo, 0x30)
      .text('addr')
      .bytes(memo, 0x30)
      .text('user_metadata')
      .bytes(memo, 0x30)
      .bytes(0x7d, mark)
      .text('segments')
      .bytes(0x5d)
      .text('device_traces')
      .bytes(0x5d, mark, 0x5d, mark)
      .bytes(...entry, ...entry, ...entry, ...entry, ...entry)
      .bytes(0x65, 0x65, 0x75)
      // Records are read at once where enough of the file lies behind them.
      .stop();
    for (const padding of [0, 4000]) {
      const { events, strings } = await readBytes(Buffer.concat([bytes, Buffer.alloc(padding)]));
      assert.deepEqual(
        [...events.addrLow],
        Array.from({ length: 5 }, () => 0x04030201),
      );
      assert.deepEqual(
        [...events.addrHigh],
        Array.from({ length: 5 }, () => 5),
      );
      const metadata = Array.from(events.metadata ?? [], (id) => strings.text(id));
      assert.deepEqual(
        metadata,
        Array.from({ length: 5 }, () => String(0x0504030201)),
      );
    }
  });

  it('are no snapshots when they hold something else', async () => {
    assert.equal(await reasonOf(new PickleWriter().text('hello').stop()), 'notASnapshot');
    assert.equal(await reasonOf(new PickleWriter().dict({ weights: (w) => w.int(3) }).stop()), 'notASnapshot');
    assert.equal(await reasonOf(Buffer.from('hello world, this is not a pickle')), 'notASnapshot');
  });

  it('declare lengths in vain', async () => {
    // Texts and integers of 4 GiB and more, in files of a few bytes.
    assert.equal(await reasonOf(new PickleWriter().bytes(0x58, 0xff, 0xff, 0xff, 0xff).stop()), 'limit');
    assert.equal(await reasonOf(new PickleWriter().bytes(0x8d, 0, 0, 0, 0, 0, 1, 0, 0).stop()), 'limit');
    assert.equal(await reasonOf(new PickleWriter().bytes(0x8b, 0xff, 0xff, 0xff, 0x7f).stop()), 'limit');
    assert.equal(await reasonOf(new PickleWriter().bytes(0x58, 0xff, 0xff, 0xff, 0x00).stop()), 'truncated');
  });

  it('cannot reach memo slots or stack places that are not there', async () => {
    for (const body of [
      [0x6a, 0xff, 0xff, 0xff, 0xff],
      [0x4e, 0x72, 0xff, 0xff, 0xff, 0x7f],
      [0x75],
      [0x65],
      [0x61],
      [0x94],
      [0x30],
      [0x86],
      [0x28, 0x75],
      [0x7d, 0x28, 0x4e, 0x75],
      [0x29, 0x29],
    ]) {
      assert.equal(await reasonOf(new PickleWriter().bytes(...body).stop()), 'notASnapshot', String(body));
    }
  });

  it('cannot nest without an end', async () => {
    assert.equal(await reasonOf(new PickleWriter().raw(new Uint8Array(20_000).fill(0x28)).stop()), 'limit');
  });

  it('keep keys like __proto__ to themselves', async () => {
    const bytes = new PickleWriter()
      .dict({
        segments: (w) => w.list([]),
        device_traces: (w) => w.list([]),
        allocator_settings: (w) =>
          w.dict(Object.fromEntries(['__proto__', 'constructor'].map((key) => [key, (v: PickleWriter) => v.int(1)]))),
      })
      .stop();
    const { settings } = await readBytes(bytes);
    assert.equal(({} as Record<string, unknown>)['polluted'], undefined);
    assert.equal(Object.getPrototypeOf(settings), Object.prototype);
  });

  it('put the same event into two traces once only', async () => {
    const bytes = new PickleWriter()
      .dict({
        segments: (w) => w.list([]),
        device_traces: (w) =>
          w.list([
            (v) => v.list([(e) => e.dict({ action: (a) => a.text('alloc'), size: (a) => a.int(1) })]).bytes(0x94),
            (v) => v.bytes(0x68, 0x00),
          ]),
      })
      .stop();
    const snapshot = await readBytes(bytes);
    assert.deepEqual(
      snapshot.traces.map((trace) => trace.count),
      [1, 0],
    );
  });

  it('cannot make many blocks of few by naming one list of them repeatedly', async () => {
    const block = (w: PickleWriter): unknown => w.dict({ state: (v) => v.text('inactive'), size: (v) => v.int(512) });
    const segment = (blocks: (w: PickleWriter) => unknown) => (w: PickleWriter) =>
      w.dict({ total_size: (v) => v.int(512), blocks });
    const first = segment((w) => w.list([block]).bytes(0x94));
    const again = segment((w) => w.bytes(0x68, 0x00));
    const bytes = new PickleWriter()
      .dict({ segments: (w) => w.list([first, again, again]), device_traces: (w) => w.list([]) })
      .stop();
    assert.equal(await reasonOf(bytes), 'notASnapshot');
  });

  it('changed in a few bytes give a snapshot or a clear error, never anything else', async () => {
    const whole = readFileSync(join(FIXTURES, 'shapes/multidevice_oom.pickle'));
    const random = seededRandom(20_240_917);
    const seen = new Map<string, number>();
    for (let round = 0; round < tries(4000, 1000); round++) {
      const reason = await reasonOf(mutated(whole, random));
      seen.set(reason, (seen.get(reason) ?? 0) + 1);
    }
    // The mutations must have met the reader's checks, not only its time limit.
    assert.ok(
      (seen.get('notASnapshot') ?? 0) > 100 && (seen.get('read') ?? 0) > 100 && (seen.get('forbidden') ?? 0) > 10,
    );
  });
});
