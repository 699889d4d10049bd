import assert from 'node:assert/strict';
import { parseRecording } from '../../../src/core/formats/recordingSidecar.js';

const WHOLE = {
  schema: 'leakline.recording/1',
  run: 'detector',
  rank: 1,
  kind: 'light',
  step: 20,
  stepTimes: { first: 1, endedAtUs: [10, 20, 30] },
  collections: { beganAtUs: [11, 25], endedAtUs: [13, 26] },
  devices: [{ index: 0, name: 'a card', capacityBytes: 1000, reservedBytes: 10, outsideBytes: 7 }],
  sources: [{ path: '/home/ml/pyramid.py', sha256: 'ab'.repeat(32) }],
  git: { root: '/home/ml', commit: 'c0'.repeat(20) },
  holders: {
    owners: [
      {
        kind: 'attribute',
        name: 'FeaturePyramid.visited',
        file: '/home/ml/pyramid.py',
        line: 17,
        bytes: 512,
        graphBytes: 256,
        born: { first: 3, last: 9, steps: 6 },
        container: { type: 'deque', length: 6, maxlen: 35 },
        allocatedAt: [{ file: '/home/ml/pyramid.py', line: 16, function: 'forward', bytes: 512, blocks: 1 }],
      },
    ],
  },
};

describe('The recorder’s sidecar', () => {
  it('gives run, rank, step, capacity and owners', () => {
    const recording = parseRecording(JSON.stringify(WHOLE));
    assert.deepEqual(recording, {
      run: 'detector',
      rank: 1,
      isLight: true,
      step: 20,
      stepEndsUs: [10, 20, 30],
      collections: [
        { fromUs: 11, toUs: 13 },
        { fromUs: 25, toUs: 26 },
      ],
      devices: [{ device: 0, capacityBytes: 1000, outsideBytes: 7 }],
      owners: [
        {
          kind: 'attribute',
          name: 'FeaturePyramid.visited',
          file: '/home/ml/pyramid.py',
          line: 17,
          bytes: 512,
          graphBytes: 256,
          bornSteps: 6,
          container: { type: 'deque', length: 6, maxlen: 35 },
          allocatedAt: [{ file: '/home/ml/pyramid.py', line: 16, bytes: 512 }],
        },
      ],
      sources: [{ file: '/home/ml/pyramid.py', sha256: 'ab'.repeat(32) }],
      commit: 'c0'.repeat(20),
    });
  });

  it('is nothing when it is no sidecar', () => {
    for (const text of ['', '{', '[]', 'null', '{"schema":"leakline.recording/9"}', '{}']) {
      assert.equal(parseRecording(text), null, text);
    }
  });

  it('leaves out what has another shape than it should', () => {
    const recording = parseRecording(
      JSON.stringify({
        ...WHOLE,
        rank: -3,
        step: 'twenty',
        stepTimes: [1],
        collections: { beganAtUs: [11, 'x', 25, 30], endedAtUs: [13, 26, 24] },
        devices: [{ index: 'x' }, 7, null],
        sources: [{ path: 'a.py', sha256: 'short' }, { path: 3, sha256: 'ab'.repeat(32) }, null],
        git: { commit: '--upload-pack=x' },
        holders: { owners: [null, { name: 3 }, { ...WHOLE.holders.owners[0], allocatedAt: [null, { line: 1 }] }] },
      }),
    );
    assert.equal(recording?.rank, null);
    assert.equal(recording.step, null);
    assert.deepEqual(recording.stepEndsUs, []);
    assert.deepEqual(recording.collections, [{ fromUs: 11, toUs: 13 }]);
    assert.deepEqual(recording.devices, []);
    assert.deepEqual(recording.sources, []);
    assert.equal(recording.commit, null);
    assert.deepEqual(
      recording.owners.map((owner) => owner.allocatedAt),
      [[]],
    );
  });
});
