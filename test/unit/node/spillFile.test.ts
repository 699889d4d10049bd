import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { SpillFile, type StoredBytes } from '../../../src/node/spillFile.js';

describe('Memory on the disk', () => {
  const { TMPDIR } = process.env;
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'leakline-spill-'));
    process.env['TMPDIR'] = folder;
  });
  afterEach(() => {
    if (TMPDIR === undefined) delete process.env['TMPDIR'];
    else process.env['TMPDIR'] = TMPDIR;
    rmSync(folder, { recursive: true });
  });

  const pieces = Array.from({ length: 50 }, (_, i) => new Uint8Array(i * 1000).fill(i));

  it('returns stored bytes, in any order, and leaves no file name behind', () => {
    const { keep } = new SpillFile();
    const kept = pieces.map((piece) => keep(piece.slice()));
    assert.deepEqual(readdirSync(folder), []);
    for (const i of [49, 0, 1, 25, 49]) assert.deepEqual(kept[i].read(), pieces[i]);
    const whole = keep(pieces[3]).read();
    assert.notEqual(whole, pieces[3]);
    assert.deepEqual(whole, pieces[3]);
  });

  it('retains no written bytes in memory', async () => {
    const { keep } = new SpillFile();
    const weakly = (): { bytes: WeakRef<Uint8Array>; stored: StoredBytes } => {
      const bytes = new Uint8Array(1000).fill(7);
      return { bytes: new WeakRef(bytes), stored: keep(bytes) };
    };
    const { bytes, stored } = weakly();
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    await setImmediate();
    collect();
    assert.equal(bytes.deref(), undefined);
    assert.deepEqual(stored.read(), new Uint8Array(1000).fill(7));
  });

  it('retains unwritable bytes in memory', () => {
    process.env['TMPDIR'] = join(folder, 'absent');
    const { keep } = new SpillFile();
    const piece = pieces[7];
    assert.equal(keep(piece).read(), piece);
  });
});
