import assert from 'node:assert/strict';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { watchFolder, type SnapshotWatcher } from '../../../src/extension/watch/chokidarWatcher.js';
import { recordedBeside } from '../../../src/node/recordingPath.js';
import { eventually } from '../../support/eventually.js';

const isSnapshot = (name: string): boolean => name.endsWith('.pickle');

describe('A folder that is watched', () => {
  let folder: string;
  let watcher: SnapshotWatcher;
  const noticed = new Set<string>();
  const events: string[] = [];
  const told: string[] = [];

  const write = (name: string): void => {
    writeFileSync(join(folder, name), '');
  };
  const watchAtMost = async (snapshots: number, polls = false): Promise<void> => {
    watcher = watchFolder(
      {
        folder,
        polls,
        snapshotOf: (below) => [below, ...recordedBeside(below)].find(isSnapshot) ?? null,
        skips: () => false,
      },
      {
        noticed: (path) => {
          noticed.add(path.slice(folder.length + 1));
          events.push(path.slice(folder.length + 1));
        },
        scanned: () => undefined,
        limited: (message) => told.push(message),
      },
      { folders: 10, linkedFolders: 3, snapshots: polls ? 0 : snapshots, polled: polls ? snapshots : 0 },
    );
    await eventually(() => {
      assert.ok(!watcher.scanning, 'the folder is still walked');
    });
  };

  beforeEach(() => {
    folder = realpathSync(mkdtempSync(join(tmpdir(), 'leakline-watched-')));
    noticed.clear();
    events.length = 0;
    told.length = 0;
  });
  afterEach(async () => {
    await watcher.close();
    rmSync(folder, { recursive: true });
    rmSync(`${folder}-outside`, { recursive: true, force: true });
  });

  it('reads the maximum number of snapshots, without counting sidecars', async () => {
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

  const reports = async (...names: string[]): Promise<void> => {
    await eventually(() => {
      assert.deepEqual([...noticed].sort(), names);
    });
    noticed.clear();
  };

  for (const polls of [false, true])
    it(`reports files that are written, removed and moved away, ${polls ? 'polled' : 'by the events of their folders'}`, async () => {
      mkdirSync(join(folder, 'run/1'), { recursive: true });
      ['a.pickle', 'run/b.pickle', 'run/1/c.pickle', 'run/1/c.txt'].forEach(write);
      writeFileSync(join(outside(), 'far.pickle'), '');
      symlinkSync(join(outside(), 'far.pickle'), join(folder, 'far.pickle'));
      await watchAtMost(100, polls);
      await reports('a.pickle', 'far.pickle', 'run/1/c.pickle', 'run/b.pickle');
      for (const path of [join(folder, 'run/b.pickle'), join(outside(), 'far.pickle')]) writeFileSync(path, 'more');
      write('run/1/d.pickle');
      rmSync(join(folder, 'a.pickle'));
      await reports('a.pickle', 'far.pickle', 'run/1/d.pickle', 'run/b.pickle');
      renameSync(join(folder, 'run'), join(outside(), 'run'));
      await reports('run/1/c.pickle', 'run/1/d.pickle', 'run/b.pickle');
      renameSync(join(outside(), 'run'), join(folder, 'back'));
      await reports('back/1/c.pickle', 'back/1/d.pickle', 'back/b.pickle');
    });

  (process.platform === 'linux' ? it : it.skip)('takes one watch of the system for all files of a folder', async () => {
    const watches = (): number =>
      readdirSync('/proc/self/fdinfo')
        .map((fd) => {
          try {
            return readFileSync(`/proc/self/fdinfo/${fd}`, 'utf8').split('inotify wd:').length - 1;
          } catch {
            return 0; // it was closed
          }
        })
        .reduce((sum, count) => sum + count, 0);
    for (let i = 0; i < 50; i++) write(`${i}.pickle`);
    const before = watches();
    await watchAtMost(100);
    assert.equal(noticed.size, 50);
    assert.equal(watches() - before, 1);
  });

  /** A folder that is not below the watched one. */
  const outside = (...folders: string[]): string => {
    for (const inner of ['', ...folders]) mkdirSync(join(`${folder}-outside`, inner), { recursive: true });
    return `${folder}-outside`;
  };

  it('reports each file once, however many links lead to it', async () => {
    mkdirSync(join(folder, 'run'));
    write('run/a.pickle');
    for (const name of ['self', 'too']) symlinkSync('.', join(folder, name));
    symlinkSync('..', join(folder, 'run/up'));
    symlinkSync('run', join(folder, 'alias'));
    symlinkSync('run/a.pickle', join(folder, 'last.pickle'));
    writeFileSync(join(outside(), 'far.pickle'), '');
    for (const name of ['far.pickle', 'further.pickle']) symlinkSync(join(outside(), 'far.pickle'), join(folder, name));
    await watchAtMost(100);
    assert.deepEqual(events.map((name) => name.replace('further', 'far')).sort(), ['far.pickle', 'run/a.pickle']);
  });

  it('follows a link to another folder up to a number of folders, and none to what contains it', async () => {
    symlinkSync('/', join(folder, 'all'));
    symlinkSync('/proc', join(folder, 'processes'));
    symlinkSync(outside('a', 'b', 'c', 'd'), join(folder, 'other'));
    for (const name of ['a', 'b', 'c', 'd']) writeFileSync(join(outside(), name, 'x.pickle'), '');
    writeFileSync(join(outside(), 'near.pickle'), '');
    await watchAtMost(100);
    assert.equal(events.length, 3);
    assert.ok(noticed.has('other/near.pickle'));
    assert.deepEqual(told.sort(), [
      `${folder} is too large to watch completely; exclude folders with the setting "Snapshots: Exclude".`,
      ...[`all is not watched: it links to /`, `processes is not watched: it links to /proc`].map(
        (start) =>
          `${folder}/${start}, which contains this folder or files of the system. Link to the folder of the snapshots.`,
      ),
    ]);
  });
});
