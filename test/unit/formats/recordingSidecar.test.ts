import assert from 'node:assert/strict';
import { UNKNOWN_CHANCES } from '../../support/blankRecording.js';
import { parseRecording } from '../../../src/core/formats/recordingSidecar.js';

const LOOP = { file: '/home/ml/train.py', line: 40, rounds: 3, isStepLoop: false };
const RELEASE = { file: '/home/ml/train.py', line: 88, runs: 12 };
const WHOLE = {
  schema: 'leakline.recording/2',
  run: 'detector',
  rank: 1,
  worldSize: 8,
  kind: 'light',
  reason: 'exit',
  step: 20,
  stepTimes: { first: 1, endedAtUs: [10, 20, 30] },
  collections: { beganAtUs: [11, 25], endedAtUs: [13, 26], full: 4 },
  loops: [{ ...LOOP, function: 'main', lastLine: 63, depth: 0 }],
  releases: [RELEASE],
  devices: [{ index: 0, name: 'a card', capacityBytes: 1000, reservedBytes: 10, outsideBytes: 7 }],
  sources: [{ path: '/home/ml/pyramid.py', sha256: 'ab'.repeat(32) }],
  takenAtUs: 31,
  ring: { events: [4, 0], overflowed: false, behindUs: [21, null] },
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
        allocatedSteps: { first: 3, last: 9, steps: 6 },
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
      worldSize: 8,
      isLight: true,
      isAtEnd: true,
      step: 20,
      takenAtUs: 31,
      behindUs: [21, null],
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
          allocatedSteps: 6,
          container: { type: 'deque', length: 6, maxlen: 35 },
          allocatedAt: [{ file: '/home/ml/pyramid.py', line: 16, bytes: 512 }],
        },
      ],
      chances: { loops: [LOOP], releases: [RELEASE] },
      sources: [{ file: '/home/ml/pyramid.py', sha256: 'ab'.repeat(32) }],
      commit: 'c0'.repeat(20),
    });
  });

  it('is read in its first version, which knows nothing of loops', () => {
    const { loops, releases, collections, ...first } = WHOLE;
    assert.equal([loops, releases, [collections]].flat().length, 3);
    const recording = parseRecording(JSON.stringify({ ...first, schema: 'leakline.recording/1' }));
    assert.deepEqual(recording?.chances, UNKNOWN_CHANCES);
  });

  it('is nothing when it is not a sidecar', () => {
    const nested = `{"schema":"leakline.recording/2","run":${'['.repeat(300)}${']'.repeat(300)}}`;
    for (const text of ['', '{', '[]', 'null', '{"schema":"leakline.recording/9"}', '{}', nested]) {
      assert.equal(parseRecording(text), null, text);
    }
  });

  it('does not count loops where more than 100 are recorded', () => {
    const loopsOf = (count: number): unknown =>
      parseRecording(JSON.stringify({ ...WHOLE, loops: Array.from({ length: count }, () => LOOP) }))?.chances.loops;
    assert.deepEqual(
      loopsOf(100),
      Array.from({ length: 100 }, () => LOOP),
    );
    assert.equal(loopsOf(101), null);
  });

  it('leaves out parts of an unexpected type', () => {
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
        loops: [null, { ...LOOP, line: '40' }, { ...LOOP, rounds: null, isStepLoop: 'yes' }],
        releases: [{ ...RELEASE, runs: -1 }, 7],
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
    assert.deepEqual(recording.chances.loops, [{ ...LOOP, rounds: null }]);
    assert.deepEqual(recording.chances.releases, []);
    assert.deepEqual(
      recording.owners.map((owner) => owner.allocatedAt),
      [[]],
    );
  });
});
