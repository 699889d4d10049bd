import assert from 'node:assert/strict';
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { watchFolder } from '../../../src/extension/watch/chokidarWatcher.js';
import type { SnapshotWatcher } from '../../../src/extension/watch/snapshotWatcher.js';
import { recordedBeside } from '../../../src/node/recordingPath.js';
import { eventually } from '../../support/eventually.js';
import { plainText } from './support/plainText.js';

const isSnapshot = (name: string): boolean => name.endsWith('.pickle');

describe('A folder that is watched', () => {
  let folder: string;
  let watcher: SnapshotWatcher;
  const noticed = new Set<string>();
  const told: string[] = [];

  const write = (name: string): void => {
    writeFileSync(join(folder, name), '');
  };
  const watchAtMost = async (snapshots: number): Promise<void> => {
    watcher = watchFolder(
      {
        folder,
        polls: false,
        snapshotOf: (below) => [below, ...recordedBeside(below)].find(isSnapshot) ?? null,
        skips: () => false,
      },
      {
        noticed: (path) => noticed.add(path.slice(folder.length + 1)),
        scanned: () => undefined,
        limited: (message) => told.push(message),
      },
      plainText,
      { folders: 10, snapshots },
    );
    await eventually(() => {
      assert.ok(!watcher.scanning, 'the folder is still walked');
    });
  };

  beforeEach(() => {
    folder = realpathSync(mkdtempSync(join(tmpdir(), 'leakline-watched-')));
    noticed.clear();
    told.length = 0;
  });
  afterEach(async () => {
    await watcher.close();
    rmSync(folder, { recursive: true });
  });

  it('has the maximum of snapshots, without counting sidecars', async () => {
    const names = ['a', 'b', 'c'].flatMap((name) => [`${name}.pickle`, `${name}.leakline.json`]);
    names.forEach(write);
    await watchAtMost(3);
    assert.deepEqual([...noticed].sort(), [...names].sort());
    assert.deepEqual(told, []);
    write('d.leakline.json');
    await eventually(() => {
      assert.equal(told.length, 1);
    });
    assert.match(told[0], /too large to watch completely/);
    noticed.clear();
    write('d.pickle');
    rmSync(join(folder, 'a.leakline.json'));
    await eventually(() => {
      assert.ok(noticed.has('a.leakline.json'), 'its end was not reported');
    });
    assert.deepEqual([...noticed], ['a.leakline.json']);
  });

  it('accepts another snapshot after one is deleted', async () => {
    ['a.pickle', 'b.pickle'].forEach(write);
    await watchAtMost(2);
    noticed.clear();
    rmSync(join(folder, 'a.pickle'));
    await eventually(() => {
      assert.ok(noticed.has('a.pickle'), 'its end was not reported');
    });
    write('c.pickle');
    await eventually(() => {
      assert.ok(noticed.has('c.pickle'), 'the new one was not reported');
    });
    assert.deepEqual(told, []);
  });
});
