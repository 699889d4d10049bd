import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { closeSync, constants, mkdtempSync, openSync, rmSync } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FileLanes } from '../../../src/node/fileLanes.js';
import { eventually } from '../../support/eventually.js';

const times = <T>(count: number, make: () => T): T[] => Array.from({ length: count }, make);

describe('Lanes for calls of the file system', () => {
  it('give each call its result, however many there are', async () => {
    const lanes = new FileLanes(2, 60_000);
    let running = 0;
    let max = 0;
    const call = async (): Promise<number> => {
      max = Math.max(max, ++running);
      await new Promise(setImmediate);
      return running--;
    };
    assert.ok((await Promise.all(times(20, () => lanes.ask(call)))).every((result) => result !== undefined));
    assert.equal(max, 2);
    await assert.rejects(
      lanes.ask(() => Promise.reject(new Error('no access'))),
      /no access/,
    );
  });

  it('leave file threads to others while calls do not return, and open again afterwards', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'leakline-lanes-'));
    const pipe = join(folder, 'pipe');
    spawnSync('mkfifo', [pipe]);
    const lanes = new FileLanes(2, 20);
    const opened = async (): Promise<true> => {
      await (await open(pipe, 'r')).close(); // waits for a writer
      return true;
    };
    assert.deepEqual(
      await Promise.all(times(8, () => lanes.ask(opened))),
      times(8, () => undefined),
    );
    assert.equal(await lanes.ask(() => stat(folder)), undefined);
    assert.ok((await stat(folder)).isDirectory());
    const writer = openSync(pipe, constants.O_RDWR);
    await eventually(async () => {
      assert.equal(await lanes.ask(opened), true);
    });
    closeSync(writer);
    rmSync(folder, { recursive: true });
  });
});
