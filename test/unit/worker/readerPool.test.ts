import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { unpackSnapshot } from '../../../src/core/model/snapshotCodec.js';
import { startThread, type Thread } from '../../../src/node/thread.js';
import type { SnapshotFile, ReadRequest } from '../../../src/worker/readerApi.js';
import { ReaderPool, type PoolOptions } from '../../../src/worker/readerPool.js';
import { eventually } from '../../support/eventually.js';
import { makeSnapshotFile } from '../../support/madeSnapshot.js';
import { mortalThread } from '../../support/mortalThread.js';
import { pickle } from '../../support/plainPickle.js';
import { builtProgram } from '../../support/repository.js';
import { FIXTURES, readFile } from '../../support/snapshots.js';
import { wholeSnapshot } from '../../support/wholeSnapshot.js';

const SMALL = ['t213.p4', 't22.p4', 'ctx_state.p4', 'pair_before'].map((name) =>
  join(FIXTURES, 'shapes', `${name}.pickle`),
);
const GIB = 2 ** 30;

const realReader = (): Thread => startThread(builtProgram('reader.cjs'), 'test reader');

/** A thread of a script of ours, with little heap. */
function smallThread(script: string, isCode: boolean): Thread {
  const worker = new Worker(script, {
    eval: isCode,
    resourceLimits: { maxOldGenerationSizeMb: 24, maxYoungGenerationSizeMb: 4 },
    stderr: true,
  });
  return {
    post: (message) => {
      worker.postMessage(message);
    },
    terminate: async () => {
      await worker.terminate();
    },
    listen: (message, end) => {
      let reason = '';
      worker.on('message', message);
      worker.on('error', (error: NodeJS.ErrnoException) => {
        reason = error.code ?? error.message;
      });
      worker.on('exit', () => {
        end(reason);
      });
    },
  };
}

describe('The threads that read files', () => {
  let folder: string;
  /** 27 MB: read in several pieces. */
  let large: string;
  let pool: ReaderPool;
  let started: number;

  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'leakline-pool-'));
    // Without it no test can tell anything but that.
    builtProgram('reader.cjs');
    large = join(folder, 'large.pickle');
    makeSnapshotFile(large, 200_000);
  });
  after(() => {
    rmSync(folder, { recursive: true });
  });
  afterEach(() => pool.close());

  function open(options: Partial<PoolOptions> = {}, start = realReader): void {
    started = 0;
    const counted = (): Thread => {
      started++;
      return start();
    };
    pool = new ReaderPool(counted, { readers: 2, maxBytes: GIB, ...options });
  }

  function read(
    path: string,
    {
      signal = new AbortController().signal,
      onProgress = () => undefined,
      ...request
    }: Partial<ReadRequest> & { signal?: AbortSignal; onProgress?: (fraction: number) => void } = {},
  ): Promise<SnapshotFile> {
    const whole = { path, cache: null, timeLimitMs: null, wantsDigest: true, member: 0, ...request };
    return pool
      .read(whole, 1, signal, ({ fraction }) => onProgress(fraction))
      .then((reading) => {
        assert.equal(reading.kind, 'snapshot');
        return reading;
      });
  }

  it('pass on the reader’s columns, with the digest', async () => {
    open();
    const readings = await Promise.all(SMALL.map((path) => read(path)));
    for (const [i, { packed, digest }] of readings.entries()) {
      assert.deepStrictEqual(wholeSnapshot(unpackSnapshot(packed)), wholeSnapshot(await readFile(SMALL[i])));
      assert.equal(digest?.path, SMALL[i]);
    }
    assert.equal(started, 2);
  });

  it('are no more than allowed, and one alone where files are too large for two', async () => {
    open({ readers: 4, maxBytes: 10 });
    const request = { path: SMALL[0], cache: null, timeLimitMs: null, wantsDigest: false, member: 0 };
    const { signal } = new AbortController();
    await Promise.all([6, 6, 6].map((bytes) => pool.read(request, bytes, signal, () => undefined)));
    assert.equal(started, 1);
    await Promise.all([5, 5, 5].map((bytes) => pool.read(request, bytes, signal, () => undefined)));
    assert.equal(started, 2);
    await Promise.all([1, 1, 1, 1, 1, 1].map((bytes) => pool.read(request, bytes, signal, () => undefined)));
    assert.equal(started, 4);
  });

  it('report their progress', async () => {
    open();
    const fractions: number[] = [];
    await read(large, { onProgress: (fraction) => fractions.push(fraction) });
    // Between the first and the last, as many as time allows.
    assert.ok(fractions[0] < 1);
    assert.deepEqual(
      fractions,
      fractions.toSorted((a, b) => a - b),
    );
    assert.equal(fractions.at(-1), 1);
  });

  it('fail with the reader’s own reason and sentence', async () => {
    open();
    await assert.rejects(read(join(folder, 'missing')), { reason: 'unreadable', message: /there is no such file/ });
    const truncated = join(folder, 'truncated.pickle');
    writeFileSync(truncated, Buffer.from([0x80, 4, 0x7d]));
    await assert.rejects(read(truncated), { reason: 'truncated' });
  });

  it('read a file once more when its reader is killed, and lose no other file', async () => {
    open({ readers: 1 }, () => mortalThread(realReader(), () => started === 1));
    const [first, second] = await Promise.all([read(large), read(SMALL[0])]);
    assert.equal(started, 2);
    assert.equal(unpackSnapshot(first.packed).events.count, (await readFile(large)).events.count);
    assert.equal(second.digest?.path, SMALL[0]);
  });

  it('give up a file that kills its reader twice, with one sentence, and read the next', async () => {
    open({ readers: 1 }, () => mortalThread(realReader(), () => started <= 2));
    const [deadly, next] = await Promise.allSettled([read(large), read(SMALL[0])]);
    assert.equal(deadly.status, 'rejected');
    const { reason, message } = deadly.reason as { reason: string; message: string };
    assert.equal(reason, 'unreadable');
    assert.match(
      message,
      /large\.pickle stopped its reader 2 times \(.+\), so Leakline no longer reads it\. Free some memory/,
    );
    assert.equal(next.status, 'fulfilled');
    assert.equal(started, 3);
  });

  it('survive a file that needs more memory than a reader has', async () => {
    const hungry = join(folder, 'hungry.pickle');
    const settings = Object.fromEntries(Array.from({ length: 400_000 }, (_, i) => [`setting number ${i}`, i]));
    writeFileSync(hungry, pickle({ segments: [], device_traces: [], allocator_settings: settings }));
    open({ readers: 1 }, () => smallThread(builtProgram('reader.cjs'), false));
    const [failed, next] = await Promise.allSettled([read(hungry), read(SMALL[0])]);
    assert.equal(failed.status, 'rejected');
    assert.match((failed.reason as Error).message, /stopped its reader 2 times \(ERR_WORKER_OUT_OF_MEMORY\)/);
    assert.equal(next.status, 'fulfilled');
  });

  it('report a reader that cannot start', async () => {
    open({}, () => startThread(join(folder, 'no-such-reader.cjs'), 'test reader'));
    await assert.rejects(read(SMALL[0]), { reason: 'unreadable', message: /Cannot find module/ });
  });

  it('stop when asked, whether the file waits or is being read', async () => {
    open({ readers: 1 });
    const [running, waiting] = [new AbortController(), new AbortController()];
    const first = read(large, {
      signal: running.signal,
      onProgress: () => {
        running.abort();
      },
    });
    const second = read(large, { signal: waiting.signal });
    const third = read(SMALL[0]);
    waiting.abort();
    await assert.rejects(second, { reason: 'cancelled' });
    await assert.rejects(first, { reason: 'cancelled' });
    assert.equal((await third).digest?.path, SMALL[0]);
  });

  it('give a file no more time than it may take', async () => {
    open();
    await assert.rejects(read(large, { timeLimitMs: 1 }), {
      reason: 'limit',
      message: /large\.pickle was not read within 0\.001 seconds/,
    });
  });

  it('end a reader that hangs, with the same sentence, and read the next file', async () => {
    const hang = `require('node:worker_threads').parentPort.on('message', () => { for (;;); });`;
    open({ readers: 1, graceMs: 20 }, () => (started === 1 ? smallThread(hang, true) : realReader()));
    const hung = read(SMALL[0], { timeLimitMs: 200 });
    const next = read(SMALL[1], { timeLimitMs: 60_000 });
    await assert.rejects(hung, { reason: 'limit', message: /was not read within 0\.2 seconds/ });
    assert.equal((await next).digest?.path, SMALL[1]);
  });

  it('are left behind inside a call that never returns, and the next file is read', async () => {
    const stuck: Thread = {
      post: () => undefined,
      listen: () => undefined,
      terminate: () => new Promise(() => undefined),
    };
    open({ readers: 1, graceMs: 20 }, () => (started === 1 ? stuck : realReader()));
    const hung = read(SMALL[0], { timeLimitMs: 20 });
    const next = read(SMALL[1], { timeLimitMs: 60_000 });
    await assert.rejects(hung, { reason: 'limit', message: /was not read within 0\.02 seconds/ });
    assert.equal((await next).digest?.path, SMALL[1]);
  });

  it('end when there is nothing to do, and start again when there is', async () => {
    let alive = 0;
    open({ idleMs: 50 }, () => {
      alive++;
      const thread = realReader();
      return {
        ...thread,
        listen: (message, end) => {
          thread.listen(message, (reason) => {
            alive--;
            end(reason);
          });
        },
      };
    });
    await read(SMALL[0]);
    await eventually(() => {
      assert.equal(alive, 0);
    });
    await read(SMALL[1]);
    assert.equal(started, 2);
  });
});
