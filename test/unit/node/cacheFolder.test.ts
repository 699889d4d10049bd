import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmodSync, closeSync, constants, mkdirSync, mkdtempSync, openSync, readdirSync, rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CacheFolder, isSilent } from '../../../src/node/cacheFolder.js';

/** Long enough for a folder that answers, on a busy machine. */
const SILENT_AFTER_MS = 1500;

describe('A cache folder', () => {
  let root: string;
  let folder: string;
  let cache: CacheFolder;
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'leakline-cache-'));
    folder = join(root, 'cache');
    mkdirSync(folder);
    cache = new CacheFolder({ folder, maxBytes: 1 << 20 }, SILENT_AFTER_MS);
  });
  afterEach(() => {
    chmodSync(folder, 0o700);
    rmSync(root, { recursive: true });
  });

  const store = (): Promise<void> =>
    cache.store('key', '.digest', 1, async (file) => {
      await file.write('kept');
    });
  const load = (): Promise<string | null> => cache.load('key', '.digest', (file) => file.readFile('utf8'));
  const never = (): Promise<never> => new Promise<never>(() => undefined);

  async function isLeftAlone(): Promise<void> {
    assert.ok(isSilent(folder));
    // Any question to the file system takes longer than a turn of the event loop.
    const turn = new Promise<string>((resolve) => setImmediate(resolve, 'the folder was asked'));
    const answers = (async () => {
      await store();
      assert.equal(await load(), null);
      await cache.clear();
      return 'left alone';
    })();
    assert.equal(await Promise.race([answers, turn]), 'left alone');
  }

  it('keeps a file', async () => {
    await store();
    assert.equal(await load(), 'kept');
    assert.ok(!isSilent(folder));
  });

  it('that does not open a file is left alone', async function () {
    if (process.platform === 'win32') this.skip();
    const pipe = join(folder, 'key.digest');
    execFileSync('mkfifo', [pipe]); // opens once another process writes
    assert.equal(await load(), null);
    closeSync(openSync(pipe, constants.O_RDWR));
    await isLeftAlone();
  });

  it('that does not open any file leaves threads for the files of others', async function () {
    if (process.platform === 'win32') this.skip();
    const names = Array.from({ length: 8 }, (_, i) => `key${i}`);
    const pipes = names.map((name) => join(folder, `${name}.digest`));
    execFileSync('mkfifo', pipes);
    const loaded = names.map((name) => cache.load(name, '.digest', (file) => file.readFile('utf8')));
    try {
      // More than the process has threads.
      assert.ok((await readFile(fileURLToPath(import.meta.url), 'utf8')).length > 0);
      assert.deepEqual(new Set(await Promise.all(loaded)), new Set([null]));
    } finally {
      for (const pipe of pipes) closeSync(openSync(pipe, constants.O_RDWR));
    }
  });

  it('that is unreadable is left alone, with its content', async () => {
    await store();
    assert.equal(await cache.load('key', '.digest', never), null);
    assert.deepEqual(readdirSync(folder), ['key.digest']);
    await isLeftAlone();
  });

  it('that does not write is left alone', async () => {
    await cache.store('key', '.digest', 1, never);
    await isLeftAlone();
  });

  it('that is read-only keeps nothing, and fails nothing', async function () {
    if (process.getuid?.() === 0) this.skip();
    chmodSync(folder, 0o500);
    await store();
    assert.equal(await load(), null);
  });
});
