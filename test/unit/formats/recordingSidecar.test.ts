import assert from 'node:assert/strict';
import { UNKNOWN_CHANCES } from '../../support/blankRecording.js';
import { parseRecording } from '../../../src/core/formats/recordingSidecar.js';

const LOOP = { file: '/home/ml/train.py', line: 40, rounds: 3, isStepLoop: false };
const RELEASE = { file: '/home/ml/train.py', line: 88, runs: 12 };
const CUSTODY = {
  ...{ sinceStep: 10, searches: 2, heldBytes: 512, freedBytes: 0, movedBytes: 8, survivedBytes: 256 },
  lengths: [3, 6],
};
const HOLDER_RELEASE = {
  ...{ file: '/home/ml/pyramid.py', line: 30, function: 'FeaturePyramid.reset', kind: 'method', where: 'uncalled' },
  ...{ isConditional: false, value: null, runs: null, hasRun: false },
};
const WHOLE = {
  schema: 'leakline.recording/3',
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
  process: { pid: 7, residentBytes: 4096 },
  holders: {
    complete: false,
    graphNodes: 12,
    next: { file: '/home/ml/train.py', line: 90 },
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
        items: { kind: 'method', type: 'Evaluator' },
        isDirect: false,
        outlivesLoops: true,
        staleKeys: null,
        pinnedBy: { text: 'hook f()', file: '/home/ml/pyramid.py', line: 9 },
        custody: CUSTODY,
        releases: [HOLDER_RELEASE],
        also: [{ name: 'log', text: 'train.py: global log', file: null, line: null }],
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
      stepSource: null,
      atFailure: [],
      step: 20,
      takenAtUs: 31,
      behindUs: [21, null],
      stepEndsUs: [10, 20, 30],
      collections: [
        { fromUs: 11, toUs: 13 },
        { fromUs: 25, toUs: 26 },
      ],
      devices: [{ device: 0, capacityBytes: 1000, outsideBytes: 7 }],
      residentBytes: 4096,
      graphNodes: 12,
      isSearchComplete: false,
      nextPart: { file: '/home/ml/train.py', line: 90 },
      owners: [
        {
          kind: 'attribute',
          name: 'FeaturePyramid.visited',
          place: { file: '/home/ml/pyramid.py', line: 17 },
          bytes: 512,
          graphBytes: 256,
          allocatedSteps: { first: 3, last: 9, steps: 6 },
          container: { type: 'deque', length: 6, maxlen: 35 },
          items: { kind: 'method', type: 'Evaluator' },
          isDirect: false,
          outlivesLoops: true,
          staleKeys: null,
          pinnedBy: { text: 'hook f()', place: { file: '/home/ml/pyramid.py', line: 9 } },
          custody: CUSTODY,
          releases: [HOLDER_RELEASE],
          also: [{ name: 'log', place: null }],
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

  it('is read in its second version, which knows nothing of custody', () => {
    const { custody, releases, also, pinnedBy, ...owner } = WHOLE.holders.owners[0];
    assert.ok([custody, releases, also, pinnedBy].every(Boolean));
    const second = { ...WHOLE, schema: 'leakline.recording/2', holders: { owners: [owner] } };
    const [read] = parseRecording(JSON.stringify(second))?.owners ?? [];
    assert.deepEqual([read.custody, read.releases, read.also, read.pinnedBy], [null, null, [], null]);
  });

  it('keeps an owner whose statement was not found', () => {
    const [owner] = WHOLE.holders.owners;
    const text = JSON.stringify({ ...WHOLE, holders: { owners: [{ ...owner, file: null, line: null }] } });
    assert.deepEqual(
      parseRecording(text)?.owners.map(({ name, place }) => [name, place]),
      [['FeaturePyramid.visited', null]],
    );
  });

  it('is nothing when it is not a sidecar', () => {
    const nested = `{"schema":"leakline.recording/3","run":${'['.repeat(300)}${']'.repeat(300)}}`;
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
