import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SnapshotError } from '../../../src/core/bytes/snapshotError.js';
import { openFile, readSmallFile, sameFile } from '../../../src/node/fileSource.js';

describe('A file as a source of bytes', () => {
  let folder: string;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'leakline-source-'));
  });
  after(() => {
    rmSync(folder, { recursive: true });
  });

  it('reads from any offset, and less only at the end', async () => {
    const path = join(folder, 'a.bin');
    writeFileSync(path, Buffer.from([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]));
    const file = await openFile(path);
    assert.equal(file.source.size, 10);
    const into = new Uint8Array(4);
    assert.equal(await file.source.read(3, into), 4);
    assert.deepEqual([...into], [3, 4, 5, 6]);
    assert.equal(await file.source.read(8, into), 2);
    assert.equal(await file.source.read(10, into), 0);
    await file.close();
  });

  it('sees that it was written on', async () => {
    const path = join(folder, 'b.bin');
    writeFileSync(path, 'one');
    const file = await openFile(path);
    assert.ok(sameFile(file.state, await file.currentState()));
    writeFileSync(path, 'two, longer');
    assert.ok(!sameFile(file.state, await file.currentState()));
    await file.close();
  });

  it('is read whole where it is small, and refused where it is not', async () => {
    const path = join(folder, 'small.json');
    writeFileSync(path, 'content');
    assert.equal((await readSmallFile(path, 7)).bytes.toString(), 'content');
    await assert.rejects(readSmallFile(path, 6), RangeError);
    writeFileSync(path, '');
    assert.equal((await readSmallFile(path, 6)).bytes.length, 0);
  });

  it('reports a read error in the middle of a file in one sentence', async () => {
    const path = join(folder, 'c.bin');
    writeFileSync(path, 'content');
    const file = await openFile(path);
    await file.close(); // whatever reads from here on fails
    await assert.rejects(file.source.read(0, new Uint8Array(4)), (error) => SnapshotError.is(error, 'unreadable'));
  });

  for (const [title, path] of [
    ['a missing file', (): string => join(folder, 'missing')],
    ['a folder', (): string => folder],
    [
      'a pipe without a writer',
      (): string => {
        const pipe = join(folder, 'pipe');
        spawnSync('mkfifo', [pipe]);
        return pipe;
      },
    ],
  ] as const) {
    it(`says in one sentence that ${title} cannot be read`, async function () {
      if (process.platform === 'win32' && title.includes('pipe')) this.skip();
      await assert.rejects(openFile(path()), (error) => {
        assert.ok(SnapshotError.is(error, 'unreadable'));
        assert.ok(error.message.startsWith(path()));
        return true;
      });
    });
  }
});
