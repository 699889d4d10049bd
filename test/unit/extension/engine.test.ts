import assert from 'node:assert/strict';
import { AnalysisEngine } from '../../../src/extension/engine/analysisEngine.js';
import type { Thread } from '../../../src/node/thread.js';
import { RpcServer, type RpcHandlers, type RpcMessage } from '../../../src/protocol/rpc.js';
import type { WorkerApi } from '../../../src/protocol/workerApi.js';
import { drain, FakeClock } from './support/fakeClock.js';
import { snapshotReport } from './support/reports.js';

type FakeApi = Pick<WorkerApi, 'load' | 'unload' | 'report' | 'setWorkspace'>;

/** A worker that keeps a list of what it loaded, and ends when told. */
class FakeThread implements Thread {
  readonly asked: string[] = [];
  private readonly loaded = new Set<string>();
  private message: (value: unknown) => void = () => undefined;
  private end: (reason: string) => void = () => undefined;
  private alive = true;
  private readonly server: RpcServer<FakeApi>;

  constructor(private readonly fatal: string | null) {
    const handlers: RpcHandlers<FakeApi> = {
      load: ({ path }) => {
        if (path === this.fatal) {
          this.die('out of memory');
          return new Promise(() => undefined);
        }
        this.loaded.add(path);
        return { snapshots: [snapshotReport({ path, bytes: path.length })], read: true };
      },
      unload: () => null,
      setWorkspace: () => null,
      report: () => {
        if (this.loaded.has('heavy')) {
          this.die('out of memory');
          return new Promise(() => undefined);
        }
        return {
          report: {
            schema: 'leakline.report/3',
            runs: [],
            ranks: [],
            missing: [],
            behind: [],
            failed: [],
            overBudget: [],
            trends: [],
            cycles: [],
          },
          paths: { unmapped: [], ambiguous: [], learned: [] },
          number: 1,
          repeated: null,
        };
      },
    };
    this.server = new RpcServer<FakeApi>(handlers, (message) => {
      if (this.alive) this.message(message);
    });
  }

  post(message: RpcMessage): void {
    if (message.kind === 'request') {
      const { path } = (message.params ?? {}) as { path?: string };
      this.asked.push(path === undefined ? message.method : `${message.method} ${path}`);
    }
    if (this.alive) void this.server.receive(message);
  }

  listen(message: (value: unknown) => void, end: (reason: string) => void): void {
    this.message = message;
    this.end = end;
  }

  die(reason: string): void {
    this.alive = false;
    this.end(reason);
  }

  terminate(): Promise<void> {
    this.die('terminated');
    return Promise.resolve();
  }
}

describe('The worker as the extension sees it', () => {
  let threads: FakeThread[];
  let fatal: string | null;
  let told: string[];
  let clock: FakeClock;
  let engine: AnalysisEngine;

  beforeEach(() => {
    threads = [];
    fatal = null;
    told = [];
    clock = new FakeClock();
    const start = (): FakeThread => {
      threads.push(new FakeThread(fatal));
      return threads[threads.length - 1];
    };
    engine = new AnalysisEngine(start, clock, {
      progress: () => undefined,
      ended: (message, again) => told.push(`${message} ${again}`),
      restored: (lost) => told.push(`lost ${lost.join()}`),
    });
  });

  it('starts with the first call', async () => {
    assert.equal(threads.length, 0);
    await engine.call('load', { path: 'a' });
    await engine.call('report', null);
    assert.equal(threads.length, 1);
  });

  it('fails open calls with one sentence when it ends, and reads known files again', async () => {
    await engine.call('setWorkspace', { files: ['a.py'], rules: [], roots: [], texts: {}, capacityBytes: null });
    await engine.call('load', { path: 'a' });
    await engine.call('load', { path: 'b' });
    await engine.call('unload', { path: 'b' });
    fatal = 'c';
    threads[0].die('exit code 1');
    await drain();
    assert.deepEqual(threads[1].asked, ['setWorkspace', 'load a']);
    assert.deepEqual(told, ['The snapshot reader stopped unexpectedly (exit code 1). true', 'lost ']);

    await assert.rejects(engine.call('load', { path: 'c' }), {
      reason: 'closed',
      message: 'The snapshot reader stopped unexpectedly (out of memory).',
    });
    await drain();
    assert.deepEqual(threads[2].asked, ['setWorkspace', 'load a'], 'the file that killed it is not read again');
  });

  it('names the largest new file if a report ends it, and does not read that again', async () => {
    await engine.call('load', { path: 'older and longer' });
    await engine.call('report', null);
    await engine.call('load', { path: 'a' });
    await engine.call('load', { path: 'heavy' });
    await assert.rejects(engine.call('report', null), {
      reason: 'closed',
      message: /\(out of memory\)\. heavy is skipped: its report stopped the reader\.$/,
    });
    await drain();
    assert.deepEqual(threads[1].asked, ['load older and longer', 'load a']);
    assert.equal(told.at(-1), 'lost heavy');
    await engine.call('report', null);
  });

  it('holds other calls back until the snapshots are read again', async () => {
    await engine.call('load', { path: 'a' });
    threads[0].die('x');
    await engine.call('report', null);
    assert.deepEqual(threads[1].asked, ['load a', 'report']);
  });

  it('stops after three crashes, and restarts on request or after a pause', async () => {
    await engine.call('load', { path: 'a' });
    for (let i = 0; i < 3; i++) {
      threads[threads.length - 1].die('x');
      await drain();
    }
    assert.equal(threads.length, 3);
    await assert.rejects(engine.call('report', null), { reason: 'closed', message: /stopped 3 times/ });
    engine.revive();
    await engine.call('report', null);
    assert.equal(threads.length, 4);
    assert.deepEqual(threads[3].asked, ['load a', 'report']);

    for (let i = 0; i < 3; i++) {
      threads[threads.length - 1].die('x');
      await drain();
    }
    await assert.rejects(engine.call('report', null), { reason: 'closed' });
    await clock.advance(11 * 60_000);
    await engine.call('report', null);
  });

  it('reports nothing when it is ended on purpose', async () => {
    await engine.call('load', { path: 'a' });
    await engine.dispose();
    assert.deepEqual(told, []);
    await assert.rejects(engine.call('report', null), { reason: 'closed' });
  });
});
