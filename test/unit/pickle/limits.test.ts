import assert from 'node:assert/strict';
import { SnapshotError } from '../../../src/core/bytes/snapshotError.js';
import { DEFAULT_PICKLE_LIMITS, type PickleLimits } from '../../../src/core/pickle/pickleLimits.js';
import { PickleMachine } from '../../../src/core/pickle/pickleMachine.js';
import type { PickleSink } from '../../../src/core/pickle/pickleSink.js';
import { runPickle } from '../../../src/core/pickle/runPickle.js';
import { Kind, makeRef } from '../../../src/core/pickle/values.js';
import { bytesSource } from '../../support/bytesSource.js';
import { PickleWriter } from '../../support/pickleWriter.js';

const nothing: PickleSink = {
  text: () => 1,
  setItems: () => makeRef(Kind.EmptyDict, 0),
  appendItems: () => makeRef(Kind.EmptyList, 0),
  tuple: () => makeRef(Kind.Opaque, 0),
};

/** @returns the sentence of the limit that it meets, null where it meets none */
async function limitMet(bytes: Uint8Array, limits: Partial<PickleLimits>): Promise<string | null> {
  const machine = new PickleMachine(nothing, 'x.pickle', 0, { ...DEFAULT_PICKLE_LIMITS, ...limits });
  try {
    await runPickle(bytesSource('x.pickle', bytes), machine);
    return null;
  } catch (error) {
    assert.ok(SnapshotError.is(error, 'limit'), String(error));
    return error.message;
  }
}

const repeated = (count: number, opcodes: readonly number[]): Uint8Array =>
  Uint8Array.from({ length: count * opcodes.length }, (_, i) => opcodes[i % opcodes.length]);
const NONE = 0x4e;
const POP = 0x30;
const MEMOIZE = 0x94;

describe('Limits of a pickle', () => {
  it('are met by what is one beyond, and by nothing that is within, each with a sentence of its own', async () => {
    const body = (bytes: Uint8Array): Uint8Array => new PickleWriter().raw(bytes).stop();
    const lists = (depth: number): Uint8Array =>
      Buffer.concat([repeated(depth, [0x5d, 0x28]), repeated(depth, [0x65])]);
    const cases: [limits: Partial<PickleLimits>, within: Uint8Array, beyond: Uint8Array, message: RegExp][] = [
      [{ nesting: 50 }, body(lists(50)), body(lists(51)), /more open containers than .* at byte 103\./],
      [
        { stackDepth: 4096 },
        body(Buffer.concat([[0x5d, 0x28], repeated(4000, [NONE]), [0x65]].map((part) => Uint8Array.from(part)))),
        body(Buffer.concat([[0x5d, 0x28], repeated(4200, [NONE]), [0x65]].map((part) => Uint8Array.from(part)))),
        /more values on the stack than .* at byte 4096\./,
      ],
      [
        { memoSlots: 10_000 },
        body(Buffer.concat([repeated(10_000, [NONE, MEMOIZE, POP]), Uint8Array.of(NONE)])),
        body(Buffer.concat([repeated(10_001, [NONE, MEMOIZE, POP]), Uint8Array.of(NONE)])),
        /more memo slots than .* at byte 30003\./,
      ],
      [
        { memoizedNumbers: 100 },
        body(Buffer.concat([repeated(100, [0x4b, 7, MEMOIZE, POP]), Uint8Array.of(NONE)])),
        body(Buffer.concat([repeated(101, [0x4b, 7, MEMOIZE, POP]), Uint8Array.of(NONE)])),
        /more numbers in its memo than .* at byte 404\./,
      ],
      [
        { textBytes: 1000 },
        new PickleWriter().text('x'.repeat(1000)).stop(),
        new PickleWriter().text('x'.repeat(1001)).stop(),
        /more bytes in one string \(1001\) than .* at byte 2\./,
      ],
    ];
    for (const [limits, within, beyond, message] of cases) {
      const [name] = Object.keys(limits);
      assert.equal(await limitMet(within, limits), null, name);
      const met = (await limitMet(beyond, limits)) ?? '';
      assert.match(met, message, name);
      // One value is as large in a shorter recording.
      const advice = name === 'nesting' || name === 'textBytes' ? 'Dump the' : 'Record with a smaller max_entries.';
      assert.ok(met.startsWith('x.pickle needs more ') && met.includes(`. ${advice}`), met);
      assert.equal(await limitMet(beyond, {}), null, `${name} is far off by default`);
    }
  });

  it('hold for what a file only declares, before any memory is taken for it', async () => {
    for (const [opcodes, what, asked] of [
      [[0x58, 0xff, 0xff, 0xff, 0xff], 'string', 4294967295],
      [[0x8d, 0, 0, 0, 0, 0, 1, 0, 0], 'string', 1099511627776],
      [[0x42, 0xff, 0xff, 0xff, 0x7f], 'string', 2147483647],
      [[0x8e, 0, 0, 0, 0, 0, 0, 0, 0x7f], 'string', 0x7f * 2 ** 56],
      [[0x96, 0, 0, 0, 0, 0, 0, 0, 0x7f], 'string', 0x7f * 2 ** 56],
      [[0x8b, 0xff, 0xff, 0xff, 0x7f], 'integer', 2147483647],
    ] as const) {
      const before = process.memoryUsage().arrayBuffers;
      const met = (await limitMet(new PickleWriter().bytes(...opcodes).stop(), {})) ?? '';
      assert.ok(met.includes(`bytes in one ${what} (${asked}) than Leakline allows, at byte 2.`), met);
      assert.ok(process.memoryUsage().arrayBuffers - before < 1 << 20);
    }
  });
});
