import assert from 'node:assert/strict';
import { recordedBeside, recordingPath } from '../../../src/node/recordingPath.js';

describe('The sidecar of a snapshot', () => {
  it('is found from the snapshot, and leads back to it', () => {
    assert.equal(recordingPath('/runs/a.pickle.gz'), recordingPath('/runs/a.pickle'));
    for (const snapshot of [
      '/runs/a.pickle',
      '/runs/a.pickle.gz',
      'C:\\runs\\a.pickle',
      '/runs/a.pkl',
      '/runs/no_ending',
    ]) {
      assert.ok(recordedBeside(recordingPath(snapshot)).includes(snapshot), snapshot);
    }
  });

  it('is not the workspace’s file of ignored leaks, and no snapshot is it', () => {
    for (const path of ['/repo/.leakline.json', 'C:\\repo\\.leakline.json', '.leakline.json', '/runs/step_10.pickle']) {
      assert.deepEqual(recordedBeside(path), [], path);
    }
  });
});
