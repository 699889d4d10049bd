import assert from 'node:assert/strict';
import type { ByteSource } from '../../../src/core/bytes/byteSource.js';
import { SnapshotError } from '../../../src/core/bytes/snapshotError.js';
import { PickleMachine } from '../../../src/core/pickle/pickleMachine.js';
import type { PickleSink } from '../../../src/core/pickle/pickleSink.js';
import { runPickle } from '../../../src/core/pickle/runPickle.js';
import { Kind, makeRef } from '../../../src/core/pickle/values.js';
import { unfoldingOf } from '../../../src/node/gunzip.js';
import { PickleWriter } from '../../support/pickleWriter.js';

/** Remembers how long the texts were. */
class Lengths implements PickleSink {
  readonly lengths: number[] = [];
  text(_bytes: Uint8Array, from: number, to: number): number {
    return this.lengths.push(to - from);
  }
  setItems = (): number => makeRef(Kind.EmptyDict, 0);
  appendItems = (): number => makeRef(Kind.EmptyList, 0);
  tuple = (): number => makeRef(Kind.Opaque, 0);
}

/** Answers late, and fails from `failsFrom` on. */
class SlowSource implements ByteSource {
  readonly name = 'slow';
  readonly unfolding = unfoldingOf(0);
  underWay = 0;
  constructor(
    private readonly bytes: Uint8Array,
    readonly size = bytes.length,
    private readonly failsFrom = Number.POSITIVE_INFINITY,
  ) {}
  async read(offset: number, into: Uint8Array): Promise<number> {
    this.underWay++;
    await new Promise((resolve) => setTimeout(resolve, 1));
    this.underWay--;
    if (offset >= this.failsFrom) throw new SnapshotError('unreadable', 'the disk is gone');
    const part = this.bytes.subarray(offset, offset + into.length);
    into.set(part);
    return part.length;
  }
}

const run = (source: ByteSource, sink: PickleSink, chunkSize: number): Promise<number> =>
  runPickle(source, new PickleMachine(sink, source.name), { chunkSize });

describe('Feeding the machine', () => {
  it('makes room for texts that are longer than what is read at once', async () => {
    const lengths = [3, 70_000, 0, 300, 9_000, 5_000, 1];
    const writer = new PickleWriter().bytes(0x5d, 0x28);
    for (const length of lengths) writer.text('x'.repeat(length));
    const bytes = writer.bytes(0x65).stop();
    for (const chunkSize of [64, 1000, 1 << 20]) {
      for (const size of [bytes.length, Number.POSITIVE_INFINITY]) {
        const sink = new Lengths();
        assert.equal(await run(new SlowSource(bytes, size), sink, chunkSize), bytes.length);
        assert.deepEqual(sink.lengths, lengths, `by ${chunkSize}`);
      }
    }
  });

  it('leaves no read under way, whatever ends it', async () => {
    const good = new PickleWriter().list([(w) => w.text('x'.repeat(500))]).stop();
    const refused = new PickleWriter().text('x').bytes(0x52).raw(new Uint8Array(500)).stop();
    const cut = good.subarray(0, 300);
    for (const [bytes, reason] of [
      [good, null],
      [refused, 'forbidden'],
      [cut, 'truncated'],
    ] as const) {
      const source = new SlowSource(bytes, Number.POSITIVE_INFINITY);
      const error: unknown = await run(source, new Lengths(), 32).then(
        () => null,
        (thrown: unknown) => thrown,
      );
      assert.equal(SnapshotError.is(error) ? error.reason : error, reason);
      assert.equal(source.underWay, 0);
    }
  });

  it('passes on what a source says of itself behind the last opcode, unless the pickle itself was refused', async () => {
    const good = new PickleWriter().list([(w) => w.text('x'.repeat(500))]).stop();
    const failing = new SlowSource(good, Number.POSITIVE_INFINITY, good.length);
    await assert.rejects(run(failing, new Lengths(), good.length), (error) => SnapshotError.is(error, 'unreadable'));
    const refused = new PickleWriter().bytes(0x52).stop();
    const both = new SlowSource(refused, Number.POSITIVE_INFINITY, refused.length);
    await assert.rejects(run(both, new Lengths(), refused.length), (error) => SnapshotError.is(error, 'forbidden'));
  });
});
