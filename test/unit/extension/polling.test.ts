import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MissedChanges } from '../../../src/extension/watch/missedChanges.js';
import { silentFileSystem } from '../../../src/extension/watch/networkMounts.js';

const MOUNTS = [
  '/dev/sda1 / ext4 rw 0 0',
  'server:/home /home nfs4 rw,vers=4.2 0 0',
  '/dev/sdb1 /home/me/scratch xfs rw 0 0',
  'me@gpu: /mnt/my\\040box fuse.sshfs rw 0 0',
  '/dev/sdc1 /data ext4 rw 0 0',
  'store /data ceph rw 0 0',
].join('\n');

describe('A file system without events', () => {
  it('is known by the innermost mount that holds the folder', () => {
    const kinds: [string, string | null][] = [
      ['/srv/run', null],
      ['/home/me/repo', 'nfs4'],
      ['/home', 'nfs4'],
      ['/homeless', null],
      ['/home/me/scratch/run', null],
      ['/mnt/my box/run', 'fuse.sshfs'],
      ['/data/run', 'ceph'],
    ];
    for (const [folder, kind] of kinds) assert.equal(silentFileSystem(folder, MOUNTS), kind, folder);
    assert.equal(silentFileSystem('C:\\repo', ''), null);
  });
});

describe('A change that no event reported', () => {
  let folder: string;
  const path = (name: string): string => join(folder, name);

  beforeEach(() => {
    folder = realpathSync(mkdtempSync(join(tmpdir(), 'leakline-missed-')));
  });
  afterEach(() => {
    rmSync(folder, { recursive: true });
  });

  it('is missed when it is still unheard of a round later, and only then', async () => {
    const missed = new MissedChanges((file) => file.endsWith('.pickle'));
    writeFileSync(path('1.pickle'), '');
    missed.noticed(path('1.pickle'));
    assert.equal(await missed.look(), false);
    writeFileSync(path('2.pickle'), '');
    assert.equal(await missed.look(), false, 'the event may be on its way');
    missed.noticed(path('2.pickle'));
    assert.equal(await missed.look(), false);
    writeFileSync(path('3.pickle'), '');
    assert.equal(await missed.look(), false);
    assert.equal(await missed.look(), true);
  });

  it('is none where a file of another kind appears, or a folder goes away', async () => {
    const missed = new MissedChanges((file) => file.endsWith('.pickle'));
    mkdirSync(path('run'));
    missed.noticed(path('run/1.pickle'));
    writeFileSync(path('run/model.pt'), '');
    assert.equal(await missed.look(), false);
    assert.equal(await missed.look(), false);
    rmSync(path('run'), { recursive: true });
    assert.equal(await missed.look(), false);
  });
});
