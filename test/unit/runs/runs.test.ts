import assert from 'node:assert/strict';
import { join } from 'node:path';
import { digestSnapshot } from '../../../src/core/digest/digest.js';
import { followBlocks } from '../../../src/core/runs/flow.js';
import { rankOf } from '../../../src/core/attribution/paths/pathRank.js';
import { counterOf, patternOf, stepOf, timeOfName, traceStepOf } from '../../../src/core/runs/runNames.js';
import { groupRuns } from '../../../src/core/runs/runs.js';
import { FIXTURES, picklesUnder, readFile } from '../../support/snapshots.js';

type Digest = ReturnType<typeof digestSnapshot>;

/** A copy of a recording, made later. */
function later(digest: Digest, us: number): Digest {
  return {
    ...digest,
    takenAtUs: (digest.takenAtUs ?? 0) + us,
    heads: digest.heads.map((head) => ({ ...head, firstUs: (head.firstUs ?? 0) + us })),
    curves: digest.curves.map(({ meeting, ...curve }) => ({
      ...curve,
      meeting: { ...meeting, anchors: { ...meeting.anchors, timeUs: meeting.anchors.timeUs.map((time) => time + us) } },
    })),
  };
}

async function digestsUnder(folder: string): Promise<Digest[]> {
  const files = picklesUnder(join(FIXTURES, folder));
  return Promise.all(files.map(async (file) => digestSnapshot(file, await readFile(file))));
}

describe('Ranks and steps', () => {
  it('distinguish a named step from any other number', () => {
    for (const [path, step] of [
      ['/out/step_0040.pickle', 40],
      ['/out/global_step40/mem.pickle', 40],
      ['C:\\out\\iter-7.pickle', 7],
      ['batch_idx12.pkl', 12],
      ['/step_2/bf16.pickle', 2],
    ] as const) {
      assert.equal(traceStepOf(path), step, path);
    }
    for (const path of ['/out/ring_10000_events.pickle', '/out/epoch_3.pickle', '/out/step.pickle']) {
      assert.equal(traceStepOf(path), null, path);
    }
  });

  it('are read from names as launchers write them', () => {
    assert.equal(rankOf('/out/rank3_memory_snapshot.pickle'), 3);
    assert.equal(rankOf('C:\\out\\rank-12\\step_4.pickle'), 12);
    assert.equal(rankOf('/out/frank3.pickle'), null);
    assert.equal(rankOf('/out/resnet_r50.pickle'), null);
    assert.equal(stepOf('/out/snapshot_0080.pickle'), null);
    for (const name of ['snapshot_0080.pickle', 'snapshot_0080.pickle.gz']) assert.equal(counterOf(`/out/${name}`), 80);
    assert.equal(patternOf('/out/step_2_light.pickle.gz'), patternOf('/out/step_3.pickle.gz'));
    assert.equal(stepOf('/out/step_100/rank0_memory_snapshot.pickle'), 100);
    assert.equal(stepOf('/out/rank0/step_12.pickle'), 12);
    assert.equal(stepOf('/out/before.pickle'), null);
    assert.equal(stepOf('/exp12/before.pickle'), null);
  });

  it('are not taken from words of a configuration', () => {
    for (const name of [
      'xl_ctx128_full',
      'mem_fp32',
      'model_1.3b',
      'fwd_cl512',
      'run_bs_8',
      '2.7B-256-fwd',
      'gpt_1.5',
    ]) {
      assert.equal(stepOf(`/out/${name}.pickle`) ?? counterOf(`/out/${name}.pickle`), null, name);
      assert.ok(!patternOf(`/out/${name}.pickle`).includes('#'), name);
    }
    assert.equal(stepOf('/out/xl_ctx128_step_40.pickle'), 40);
    assert.equal(patternOf('/out/xl_ctx128_step_40.pickle'), '/out/xl_ctx128_step_#.pickle');
  });

  it('are not taken from times and process numbers', () => {
    assert.equal(stepOf('/out/node7_Nov_21_18_30_05.pickle'), null);
    assert.equal(stepOf('/out/2026-11-21T18-30-05.123.pickle'), null);
    assert.equal(stepOf('/out/20261121_183005_step40.pickle'), 40);
    assert.equal(stepOf('/out/mem_1763749805.pickle'), null);
    assert.equal(stepOf('/out/gpu3_worker-1_pid4711.pickle'), null);
    assert.equal(stepOf('/out/run2_iter_300.pickle'), 300);
  });

  it('times in names are comparable where they are written alike', () => {
    const inOrder = (...names: string[]): void => {
      const times = names.map((name) => timeOfName(`/out/${name}.pickle`) ?? Number.NaN);
      assert.deepEqual(
        times,
        [...times].sort((a, b) => a - b),
        names.join(),
      );
    };
    inOrder('h_Nov_21_18_30_55', 'h_Nov_21_18_31_05', 'h_Dec_01_00_00_00');
    inOrder('2026-11-21_18-30-55', '2026-11-21_18-31-05', '2027-01-01_00-00-00');
    inOrder('20261121-183055', '20261121-183105.5', '20261121-183106');
    inOrder('m1763749805123', 'm1763749806007');
    assert.equal(timeOfName('/out/snapshot_0080.pickle'), null);
  });
});

describe('Runs', () => {
  it('hold the dumps of one process in order of step, not of name', async () => {
    const runs = groupRuns(await digestsUnder('recordings/node_cycle'));
    assert.equal(runs.length, 1);
    assert.deepEqual(
      runs[0].steps,
      Array.from({ length: 20 }, (_, i) => (i + 1) * 12),
    );
  });

  it('have one snapshot of a page and a pickle of it', async () => {
    const [first, second] = await digestsUnder('recordings/aux_loss');
    const page = { ...first, path: '/out/page.html', format: 'memoryViz/pickle' };
    assert.deepEqual(
      groupRuns([first, page, second]).flatMap(({ snapshots }) => snapshots),
      [first, second],
    );
  });

  it('are not made of sizes that were tried', async () => {
    const digests = await digestsUnder('recordings/aux_loss');
    const apart = digests.map((digest, i) => ({ ...later(digest, i * 1e9), path: `/out/mem_${128 << i}.pickle` }));
    assert.deepEqual(
      groupRuns(apart).map(({ id, steps }) => [id, steps]),
      apart.map(({ path }) => [path, [null]]).sort(),
    );
  });

  it('end where an allocator begins again, and where no segment is the same', async () => {
    const [first, second] = await digestsUnder('recordings/aux_loss');
    const named = (digest: Digest, n: number): Digest => ({ ...digest, path: `/out/snapshot_${n}.pickle` });
    const whole = {
      ...later(second, 1e9),
      heads: second.heads.map((head) => ({ ...head, isWhole: true, firstUs: 9e15 })),
    };
    assert.equal(groupRuns([named(first, 1), named(whole, 2)]).length, 2);
    const places = [{ device: 0, addresses: [1 << 30] }];
    const moved = { ...later(second, 1e9), segments: { ...second.segments, places } };
    assert.equal(groupRuns([named(first, 1), named(moved, 2)]).length, 2);
    assert.equal(groupRuns([named(first, 1), named(second, 2)]).length, 1);
  });

  it('keep ranks apart', async () => {
    const runs = groupRuns(await digestsUnder('recordings/two_ranks'));
    assert.deepEqual(
      runs.map((run) => [run.rank, run.snapshots.length]),
      [
        [0, 5],
        [1, 5],
      ],
    );
  });

  it('begin again where a later step was taken earlier', async () => {
    const digests = await digestsUnder('recordings/aux_loss');
    // The run was started again and has overwritten its first two files.
    const again = digests.map((digest, i) =>
      i < 2 ? { ...digest, takenAtUs: (digest.takenAtUs ?? 0) + 3.6e9 } : digest,
    );
    assert.deepEqual(
      groupRuns(again).map((run) => run.snapshots.length),
      [2, 2],
    );
  });

  const named = (digests: readonly Digest[], ...names: string[]): Digest[] =>
    digests.map((digest, i) => ({ ...digest, path: `/out/${names[i]}.pickle` }));
  const untraced = (digests: readonly Digest[]): Digest[] =>
    digests.map((digest) => ({
      ...digest,
      takenAtUs: null,
      eventCount: 0,
      heads: [],
      spans: [],
      steps: null,
      lifetimes: [],
      curves: [],
      segments: { ...digest.segments, places: [] },
    }));
  const shown = (digests: readonly Digest[]): string[] =>
    groupRuns(digests).map(
      ({ order, snapshots }) => `${order}: ${snapshots.map(({ path }) => path.slice(5, -7)).join(' ')}`,
    );

  it('of any names are identified by traces and segments, with the source of their order', async () => {
    const digests = await digestsUnder('recordings/aux_loss');
    assert.equal(digests.length, 4);
    assert.deepEqual(shown(named(digests, 'late', 'final', 'b', 'a')), ['times: late final b a']);
    const bare = untraced(digests);
    // Equal addresses prove nothing: a program that is run again gets the same.
    assert.deepEqual(shown(named(bare, 'c', 'a', 'final', 'b')), ['names: a', 'names: b', 'names: c', 'names: final']);
    const clock = ['Nov_30_23_58_30', 'Nov_30_23_59_05', 'Dec_01_00_00_40', 'Dec_01_00_01_10'];
    assert.deepEqual(shown(named(bare, ...clock).reverse()), [`namedTimes: ${clock.join(' ')}`]);
    assert.deepEqual(shown(named(digests, ...clock).reverse()), [`times: ${clock.join(' ')}`]);
    assert.deepEqual(shown(named(bare, 'epoch1_2', 'epoch1_10', 'epoch2_2', 'epoch2_10')), [
      'names: epoch1_2 epoch1_10 epoch2_2 epoch2_10',
    ]);
    // Numbers without a meaning: the files know better.
    const mixed = ['m_7', 'm_3', 'm_9', 'm_1', 'm_8', 'm_2'];
    const six = (await digestsUnder('recordings/node_cycle')).sort((a, b) => a.eventCount - b.eventCount).slice(0, 6);
    assert.deepEqual(shown(named(six, ...mixed)), [`times: ${mixed.join(' ')}`]);
  });

  it('of other programs, ranks and jobs stay apart in one folder', async () => {
    const one = untraced(await digestsUnder('recordings/aux_loss'));
    const other = untraced(await digestsUnder('recordings/node_cycle')).slice(0, 2);
    assert.deepEqual(shown([...named(one.slice(0, 2), 'one_1', 'one_2'), ...named(other, 'two_1', 'two_2')]), [
      'steps: one_1 one_2',
      'steps: two_1 two_2',
    ]);
    assert.deepEqual(shown(named(one.slice(0, 2), 'rank0', 'rank1')), ['names: rank0', 'names: rank1']);
    const jobs = [
      ...(await digestsUnder('recordings/aux_loss')),
      ...(await digestsUnder('recordings/node_cycle')).slice(-4),
    ];
    // Both were recorded at the same time, into one folder and under names that differ in numbers only.
    const start = Math.min(...jobs.slice(4).flatMap(({ heads }) => heads[0].firstUs ?? []));
    const shift = start - (jobs[0].heads[0].firstUs ?? 0);
    const together = jobs.map((digest, i) => (i < 4 ? later(digest, shift) : digest));
    assert.deepEqual(
      groupRuns(named(together, 's_10', 's_20', 's_30', 's_40', 's_11', 's_21', 's_31', 's_41')).map(
        ({ steps }) => steps,
      ),
      [
        [10, 20, 30, 40],
        [11, 21, 31, 41],
      ],
    );
  });
});

describe('Blocks of two dumps', () => {
  it('survive, are allocated and are freed as in a brute-force comparison of addresses', async () => {
    const digests = await digestsUnder('recordings/aux_loss');
    const flow = followBlocks(digests[0], digests[2]);
    assert.ok(flow !== null);
    const total = (tallies: ReadonlyMap<number, { bytes: number }>): number =>
      [...tallies.values()].reduce((sum, tally) => sum + tally.bytes, 0);
    const live = (i: number): number => digests[i].devices[0].liveBytes;
    assert.equal(total(flow.survived) + total(flow.allocated), live(2));
    assert.equal(total(flow.survived) + total(flow.freed), live(0));
    const events = digests[0].heads[0].events;
    const { blocks } = digests[2];
    let allocated = 0;
    for (let i = 0; i < blocks.count; i++) if (blocks.birth[i] >= events) allocated += blocks.size[i];
    assert.equal(total(flow.allocated), allocated);
  });

  it('are not compared across processes', async () => {
    const [rank0, rank1] = [
      await digestsUnder('recordings/two_ranks/snapshots/rank0'),
      await digestsUnder('recordings/two_ranks/snapshots/rank1'),
    ];
    assert.equal(followBlocks(rank0[0], rank1[1]), null);
    assert.equal(followBlocks(rank0[2], rank0[0]), null);
  });
});
