import assert from 'node:assert/strict';
import { joinRecordedPath, splitRecordedPath } from '../../../src/core/attribution/paths/pathMapping.js';

const PATHS: [text: string, root: string, names: string[], folder: string][] = [
  ['/mnt/job/train.py', '/', ['mnt', 'job', 'train.py'], '/mnt/job'],
  ['/train.py', '/', ['train.py'], ''],
  ['./pkg//../train.py', '', ['train.py'], ''],
  ['pkg/train.py', '', ['pkg', 'train.py'], 'pkg'],
  ['C:\\Job\\train.py', 'c:', ['Job', 'train.py'], 'C:\\Job'],
  ['c:/Job/train.py', 'c:', ['Job', 'train.py'], 'C:\\Job'],
  ['\\\\server\\share\\train.py', '\\\\', ['server', 'share', 'train.py'], '\\\\server\\share'],
  ['\\\\?\\C:\\Job\\train.py', 'c:', ['Job', 'train.py'], 'C:\\Job'],
  ['\\\\?\\UNC\\server\\share\\train.py', '\\\\', ['server', 'share', 'train.py'], '\\\\server\\share'],
  ['pkg\\train.py', '', ['pkg', 'train.py'], 'pkg'],
  ['/odd\\name/train.py', '/', ['odd\\name', 'train.py'], '/odd\\name'],
];

describe('A recorded path', () => {
  for (const [text, root, names, folder] of PATHS) {
    it(`splits ${text}`, () => {
      const path = splitRecordedPath(text);
      assert.deepEqual({ root: path.root, names: path.names }, { root, names });
      assert.equal(joinRecordedPath(path, names.slice(0, -1)), folder);
    });
  }

  it('survives any text', () => {
    for (const text of ['', '/', '\\', 'C:', '..', '/../..', '\u0000', '__proto__']) {
      assert.ok(Array.isArray(splitRecordedPath(text).names), text);
    }
  });
});
