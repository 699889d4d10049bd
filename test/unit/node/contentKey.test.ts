import assert from 'node:assert/strict';
import { copyFileSync, mkdtempSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { contentKey, digestKey, isSettled } from '../../../src/node/contentKey.js';
import { openFile } from '../../../src/node/fileSource.js';
import { bytesSource } from '../../support/bytesSource.js';

const BYTES = 1 << 20;

async function keyOf(path: string, version = '1', member = 0): Promise<string> {
  const file = await openFile(path);
  try {
    return await contentKey(file, version, member);
  } finally {
    await file.close();
  }
}

describe('The key of a content', () => {
  let folder: string;
  let path: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'leakline-key-'));
    path = join(folder, 'a.pickle');
    writeFileSync(path, Buffer.alloc(BYTES, 1));
  });
  afterEach(() => {
    rmSync(folder, { recursive: true });
  });

  it('stays while the file is untouched', async () => {
    assert.equal(await keyOf(path), await keyOf(path));
    assert.match(await keyOf(path), /^[0-9a-f]{40}$/);
  });

  it('is another one for another version of the reader', async () => {
    assert.notEqual(await keyOf(path, '1'), await keyOf(path, '2'));
  });

  it('is another one for each snapshot of several in a file, and for each text of the recorder', async () => {
    const keys = await Promise.all([0, 1, 2].map((member) => keyOf(path, '1', member)));
    const digests = keys.flatMap((key) => [null, '', '{}', '{} '].map((sidecar) => digestKey(key, sidecar)));
    assert.equal(new Set([...keys, ...digests]).size, 15);
    assert.equal(digestKey(keys[0], '{}'), digests[2]);
  });

  it('is another one after writing in place, with equal size and restored times', async () => {
    const dated = new Date(1_700_000_000_000);
    utimesSync(path, dated, dated);
    const before = await keyOf(path);
    const { ino } = statSync(path);
    const content = Buffer.alloc(BYTES, 1);
    content[BYTES / 2 + 12_345] = 2; // where no sample looks
    await new Promise((resolve) => setTimeout(resolve, 20)); // the clock of the file system ticks
    writeFileSync(path, content);
    utimesSync(path, dated, dated);
    const now = statSync(path);
    assert.deepEqual([now.ino, now.mtimeMs, now.size], [ino, dated.getTime(), BYTES]);
    assert.notEqual(await keyOf(path), before);
  });

  it('is another one for a file that took the place of the first', async () => {
    const before = await keyOf(path);
    const { atime, mtime } = statSync(path);
    copyFileSync(path, `${path}.new`);
    utimesSync(`${path}.new`, atime, mtime);
    renameSync(`${path}.new`, path);
    assert.notEqual(await keyOf(path), before);
  });

  it('takes one read of a small file', async () => {
    writeFileSync(path, Buffer.alloc(2000, 1));
    const file = await openFile(path);
    let reads = 0;
    const read = (offset: number, into: Uint8Array): Promise<number> => (reads++, file.source.read(offset, into));
    assert.equal(await contentKey({ ...file, source: { ...file.source, read } }, '1', 0), await keyOf(path));
    // The second finds the end.
    assert.equal(reads, 2);
    await file.close();
  });

  it('samples head, tail and the middle', async () => {
    const file = await openFile(path);
    await file.close();
    const keys = new Set<string>();
    for (const changed of [-1, 0, BYTES - 1, BYTES >> 1]) {
      const content = Buffer.alloc(BYTES, 1);
      // A stretch wide enough for a look to fall into.
      if (changed >= 0) content.fill(2, Math.max(0, changed - (BYTES >> 4)), Math.min(BYTES, changed + (BYTES >> 4)));
      keys.add(await contentKey({ ...file, source: bytesSource('x', content) }, '1', 0));
    }
    assert.equal(keys.size, 4);
  });
});

describe('A file has settled', () => {
  const state = { size: 1, inode: 1 };

  it('when the clock of its file system has ticked since it was touched', () => {
    const touched = { ...state, mtimeMs: 5_000.25, ctimeMs: 9_000.25 };
    assert.equal(isSettled(touched, 9_050), false);
    assert.equal(isSettled(touched, 9_200), true);
  });

  it('after seconds where times are whole seconds', () => {
    const touched = { ...state, mtimeMs: 8_000, ctimeMs: 9_000 };
    assert.equal(isSettled(touched, 11_000), false);
    assert.equal(isSettled(touched, 12_500), true);
  });

  it('not while its times lie in the future', () => {
    assert.equal(isSettled({ ...state, mtimeMs: 99_000.5, ctimeMs: 1_000.5 }, 12_000), false);
  });
});
