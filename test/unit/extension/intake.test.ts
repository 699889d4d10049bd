import assert from 'node:assert/strict';
import type { SnapshotReport } from '../../../src/core/report/report.js';
import type { IntakeEntry, IntakePhase } from '../../../src/extension/intake/intakeEntry.js';
import type { FileStamp, IntakeFiles, IntakeReader } from '../../../src/extension/intake/ports.js';
import { SnapshotIntake } from '../../../src/extension/intake/snapshotIntake.js';
import { drain, FakeClock } from './support/fakeClock.js';
import { snapshotReport } from './support/reports.js';

const PROTO = 0x80;
const STOP = 0x2e;

interface FakeFile extends FileStamp {
  first: number;
  last: number;
}

class ReadError extends Error {
  constructor(readonly reason: string) {
    super(`sentence about ${reason}`);
  }
}

/** A disk, a reader and a clock, with an intake between them. */
class World implements IntakeFiles, IntakeReader {
  readonly clock = new FakeClock();
  readonly files = new Map<string, FakeFile>();
  readonly loads: string[] = [];
  readonly unloads: string[] = [];
  contentChanges = 0;
  reading = 0;
  maxReading = 0;
  /** The reader's behavior; by default it succeeds at once. */
  onLoad: (path: string) => Promise<SnapshotReport> = (path) => Promise.resolve(snapshotReport({ path }));
  readonly intake = new SnapshotIntake(this, this.clock, this, 2, (content) => {
    if (content) this.contentChanges++;
  });

  /** A promise that delays the look at both ends of a file. */
  slowDisk: Promise<void> = Promise.resolve();

  /** Writes a file now: complete, unless `last` says otherwise. */
  write(path: string, size: number, last = STOP, first = PROTO): void {
    this.files.set(path, { size, mtimeMs: this.clock.now(), ino: 1, beside: '', first, last });
    this.intake.noticed(path);
  }

  /** Files on a disk that does not answer. */
  readonly silent = new Set<string>();

  stamp(path: string): Promise<FileStamp | null | undefined> {
    return Promise.resolve(this.silent.has(path) ? undefined : (this.files.get(path) ?? null));
  }

  async ends(path: string): Promise<{ first: number; last: number } | null> {
    await this.slowDisk;
    return this.files.get(path) ?? null;
  }

  async load(path: string): Promise<readonly SnapshotReport[]> {
    this.loads.push(path);
    this.reading++;
    this.maxReading = Math.max(this.maxReading, this.reading);
    try {
      return [await this.onLoad(path)];
    } finally {
      this.reading--;
    }
  }

  unload(path: string): Promise<void> {
    this.unloads.push(path);
    return Promise.resolve();
  }

  entry(path: string): IntakeEntry | undefined {
    return [...this.intake.entries].find((entry) => entry.path === path);
  }

  phase(path: string): IntakePhase | undefined {
    return this.entry(path)?.phase;
  }
}

describe('The intake of snapshots', () => {
  let world: World;

  beforeEach(() => {
    world = new World();
  });

  it('reads a file again when its sidecar arrives, changes or disappears', async () => {
    world.write('a', 100);
    await world.clock.advance(1_000);
    const file = { size: 100, mtimeMs: world.clock.now() - 60_000, ino: 1, first: PROTO, last: STOP };
    world.files.set('a', { ...file, beside: '' });
    world.intake.noticed('a');
    await world.clock.advance(1_000);
    const before = world.loads.length;
    for (const [i, beside] of ['10 1', '12 2', '12 2', ''].entries()) {
      world.files.set('a', { ...file, beside });
      world.intake.noticed('a');
      await world.clock.advance(1_000);
      assert.equal(world.loads.length - before, [1, 2, 2, 3][i], `state '${beside}'`);
      assert.equal(world.phase('a'), 'ready');
    }
  });

  it('leaves a file as it is while its disk does not answer, and reads it afterwards', async () => {
    world.write('a', 100);
    await world.clock.advance(1_000);
    world.silent.add('a');
    world.silent.add('b');
    world.write('a', 200);
    world.write('b', 100);
    world.write('c', 100);
    await world.clock.advance(20_000);
    assert.deepEqual([world.phase('a'), world.phase('b'), world.phase('c')], ['ready', 'settling', 'ready']);
    assert.deepEqual(world.loads, ['a', 'c']);
    world.silent.clear();
    await world.clock.advance(10_000);
    assert.deepEqual(world.loads.toSorted(), ['a', 'a', 'b', 'c']);
    assert.equal(world.phase('b'), 'ready');
  });

  it('reads a file once it has held still for two looks, within a quarter of a second', async () => {
    world.write('a', 100);
    await world.clock.advance(150);
    assert.deepEqual(world.loads, []);
    await world.clock.advance(100);
    assert.deepEqual(world.loads, ['a']);
    assert.equal(world.phase('a'), 'ready');
    assert.equal(world.contentChanges, 1);
  });

  it('reads a file that has lain there for long at once', async () => {
    world.files.set('a', {
      size: 100,
      mtimeMs: world.clock.now() - 60_000,
      ino: 1,
      beside: '',
      first: PROTO,
      last: STOP,
    });
    world.intake.noticed('a');
    await world.clock.advance(0);
    assert.deepEqual(world.loads, ['a']);
  });

  it('waits while a file grows, whatever its last byte happens to be, and reads it once', async () => {
    for (let size = 10; size <= 200; size += 10) {
      world.write('a', size, STOP);
      await world.clock.advance(100);
    }
    assert.deepEqual(world.loads, []);
    await world.clock.advance(500);
    assert.deepEqual(world.loads, ['a']);
  });

  it('does not trouble the reader with a pickle that does not end in STOP, and reads it when it does', async () => {
    world.write('a', 100, 0x00);
    await world.clock.advance(3_000);
    assert.deepEqual(world.loads, []);
    assert.equal(world.phase('a'), 'truncated');
    assert.equal(world.entry('a')?.problem?.message, 'This file is still being written, or is truncated.');
    world.write('a', 200);
    await world.clock.advance(500);
    assert.deepEqual(world.loads, ['a']);
    assert.equal(world.phase('a'), 'ready');
  });

  it('notices that a stalled writer went on without an event from the watcher', async () => {
    world.write('a', 100, 0x00);
    await world.clock.advance(1_000);
    world.files.set('a', { size: 200, mtimeMs: world.clock.now(), ino: 1, beside: '', first: PROTO, last: STOP });
    await world.clock.advance(2_500);
    assert.equal(world.phase('a'), 'ready');
  });

  it('leaves formats that are not pickles to the reader', async () => {
    world.write('a.json', 100, 0x7d, 0x7b);
    await world.clock.advance(500);
    assert.deepEqual(world.loads, ['a.json']);
  });

  it('never passes on an empty file', async () => {
    world.write('a', 0);
    await world.clock.advance(60_000);
    assert.deepEqual(world.loads, []);
    assert.equal(world.phase('a'), 'truncated');
  });

  it('comes back to a file that the reader found truncated, a bounded number of times', async () => {
    world.onLoad = () => Promise.reject(new ReadError('truncated'));
    world.write('a', 100);
    await world.clock.advance(600_000);
    assert.equal(world.phase('a'), 'truncated');
    assert.ok(world.loads.length >= 2 && world.loads.length <= 4, String(world.loads.length));
    world.onLoad = (path) => Promise.resolve(snapshotReport({ path }));
    world.write('a', 150);
    await world.clock.advance(500);
    assert.equal(world.phase('a'), 'ready');
  });

  it('remembers other files than snapshots until they change', async () => {
    world.onLoad = () => Promise.reject(new ReadError('notASnapshot'));
    world.write('a', 100);
    await world.clock.advance(1_000);
    assert.equal(world.phase('a'), 'rejected');
    world.intake.noticed('a');
    await world.clock.advance(10_000);
    assert.deepEqual(world.loads, ['a']);
    world.write('a', 101);
    await world.clock.advance(1_000);
    assert.deepEqual(world.loads, ['a', 'a']);
    assert.equal(world.contentChanges, 0);
  });

  it('reads a file that is overwritten in place again, and keeps the old reading until then', async () => {
    world.write('a', 100);
    await world.clock.advance(500);
    world.write('a', 40, 0x00);
    await world.clock.advance(400);
    assert.notEqual(world.entry('a')?.snapshots, null);
    world.write('a', 100);
    await world.clock.advance(500);
    assert.deepEqual(world.loads, ['a', 'a']);
    assert.deepEqual(world.unloads, []);
    assert.equal(world.contentChanges, 2);
  });

  it('reads a file again that changed during reading', async () => {
    let finish: (() => void) | undefined;
    world.onLoad = (path) =>
      new Promise((resolve) => {
        finish = () => {
          resolve(snapshotReport({ path }));
        };
      });
    world.write('a', 100);
    await world.clock.advance(500);
    world.write('a', 120);
    await world.clock.advance(2_000);
    assert.deepEqual(world.loads, ['a']);
    finish?.();
    await world.clock.advance(1_000);
    assert.deepEqual(world.loads, ['a', 'a']);
  });

  it('drops a file that was deleted', async () => {
    world.write('a', 100);
    await world.clock.advance(500);
    world.files.delete('a');
    world.intake.noticed('a');
    await world.clock.advance(10);
    assert.equal(world.phase('a'), undefined);
    assert.deepEqual(world.unloads, ['a']);
    assert.equal(world.contentChanges, 2);
  });

  it('does not keep the reading of a file that was deleted while it was read', async () => {
    let finish: (() => void) | undefined;
    world.onLoad = (path) =>
      new Promise((resolve) => {
        finish = () => {
          resolve(snapshotReport({ path }));
        };
      });
    world.write('a', 100);
    await world.clock.advance(500);
    world.files.delete('a');
    world.intake.noticed('a');
    await world.clock.advance(10);
    finish?.();
    await drain();
    assert.deepEqual(world.unloads, ['a']);
    assert.equal(world.contentChanges, 0);
  });

  it('reads a thousand files, at most the given number at a time, newest first', async () => {
    for (let i = 0; i < 1_000; i++) {
      const path = `f${String(999 - i).padStart(3, '0')}`;
      world.files.set(path, {
        size: 100,
        mtimeMs: world.clock.now() - 10_000 - i,
        ino: i,
        beside: '',
        first: PROTO,
        last: STOP,
      });
      world.intake.noticed(path);
    }
    world.onLoad = async (path) => {
      await drain();
      return snapshotReport({ path });
    };
    await world.clock.advance(1_000);
    for (let i = 0; world.intake.busy && i < 5_000; i++) await drain();
    assert.equal(world.loads.length, 1_000);
    assert.equal(world.maxReading, 2);
    assert.deepEqual(world.loads, [...world.loads].sort().reverse());
  });

  it('sets one timer for a thousand files', () => {
    let timers = 0;
    const { clock } = world;
    const after = clock.after.bind(clock);
    clock.after = (...args) => {
      timers++;
      return after(...args);
    };
    for (let i = 0; i < 1_000; i++) world.write(`f${i}`, 100);
    assert.equal(timers, 1);
  });

  it('is busy from the first look at an old file to the end of its reading, however slow the disk', async () => {
    let answer = (): void => undefined;
    world.slowDisk = new Promise((resolve) => {
      answer = resolve;
    });
    world.write('a', 100);
    const file = world.files.get('a');
    assert.ok(file !== undefined, 'the file is there');
    world.files.set('a', { ...file, mtimeMs: file.mtimeMs - 60_000 });
    assert.ok(world.intake.busy, 'before the first look');
    await world.clock.advance(1_000);
    assert.equal(world.phase('a'), 'settling');
    assert.ok(world.intake.busy, 'while its ends are read');
    answer();
    await drain();
    assert.equal(world.phase('a'), 'ready');
    assert.ok(!world.intake.busy, 'when it is read');
  });

  it('reads a file once more whose reader ended, and no more often', async () => {
    let deaths = 1;
    world.onLoad = (path) =>
      deaths-- > 0 ? Promise.reject(new ReadError('closed')) : Promise.resolve(snapshotReport({ path }));
    world.write('a', 100);
    await world.clock.advance(1_000);
    assert.deepEqual(world.loads, ['a', 'a']);
    assert.equal(world.entry('a')?.phase, 'ready');
    deaths = 9;
    world.write('b', 100);
    await world.clock.advance(1_000);
    assert.deepEqual(world.loads, ['a', 'a', 'b', 'b']);
    assert.equal(world.entry('b')?.phase, 'rejected');
  });

  it('continues with the next file when one is unreadable', async () => {
    world.onLoad = (path) =>
      path === 'bad' ? Promise.reject(new ReadError('forbidden')) : Promise.resolve(snapshotReport({ path }));
    world.write('bad', 100);
    world.write('good', 100);
    await world.clock.advance(1_000);
    assert.equal(world.phase('bad'), 'rejected');
    assert.equal(world.entry('bad')?.problem?.message, 'sentence about forbidden');
    assert.equal(world.phase('good'), 'ready');
  });

  describe('on request for a file by name', () => {
    it('answers when it is read', async () => {
      world.files.set('a', { size: 1, mtimeMs: 0, ino: 1, beside: '', first: PROTO, last: STOP });
      const opened = world.intake.open('a');
      await world.clock.advance(100);
      assert.deepEqual(
        (await opened).map(({ path }) => path),
        ['a'],
      );
      const again = world.intake.open('a');
      await world.clock.advance(100);
      assert.deepEqual(
        (await again).map(({ path }) => path),
        ['a'],
      );
      assert.deepEqual(world.loads, ['a']);
    });

    it('gives the reason: missing, truncated or rejected; and tries a rejected file again on request', async () => {
      const missing = assert.rejects(world.intake.open('a'), {
        message: 'The file does not exist or is not readable.',
      });
      await world.clock.advance(100);
      await missing;
      world.files.set('b', { size: 9, mtimeMs: 0, ino: 1, beside: '', first: PROTO, last: 0 });
      const short = assert.rejects(world.intake.open('b'), {
        message: 'This file is still being written, or is truncated.',
      });
      await world.clock.advance(100);
      await short;
      world.onLoad = () => Promise.reject(new ReadError('forbidden'));
      world.files.set('c', { size: 9, mtimeMs: 0, ino: 1, beside: '', first: PROTO, last: STOP });
      for (let i = 0; i < 2; i++) {
        const refused = assert.rejects(world.intake.open('c'), { message: 'sentence about forbidden' });
        await world.clock.advance(100);
        await refused;
      }
      assert.deepEqual(world.loads, ['c', 'c']);
    });

    it('rejects when everything is cleared', async () => {
      world.onLoad = () => new Promise(() => undefined);
      world.files.set('a', { size: 1, mtimeMs: 0, ino: 1, beside: '', first: PROTO, last: STOP });
      const opened = assert.rejects(world.intake.open('a'), { message: 'The results were cleared.' });
      await world.clock.advance(100);
      await world.intake.clear();
      await opened;
    });
  });
});
