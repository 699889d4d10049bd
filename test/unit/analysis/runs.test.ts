import assert from 'node:assert/strict';
import { join } from 'node:path';
import { digestSnapshot } from '../../../src/core/analysis/digest.js';
import { followBlocks } from '../../../src/core/analysis/flow.js';
import { groupRuns, rankOf, stepOf } from '../../../src/core/analysis/runs.js';
import { FIXTURES, picklesUnder, readFile } from '../../support/snapshots.js';

async function digestsUnder(folder: string): Promise<ReturnType<typeof digestSnapshot>[]> {
  const files = picklesUnder(join(FIXTURES, folder));
  return Promise.all(files.map(async (file) => digestSnapshot(file, await readFile(file))));
}

describe('Ranks and steps', () => {
  it('are read from names as launchers write them', () => {
    assert.equal(rankOf('/out/rank3_memory_snapshot.pickle'), 3);
    assert.equal(rankOf('C:\\out\\rank-12\\step_4.pickle'), 12);
    assert.equal(rankOf('/out/frank3.pickle'), null);
    assert.equal(rankOf('/out/resnet_r50.pickle'), null);
    assert.equal(stepOf('/out/snapshot_0080.pickle'), 80);
    assert.equal(stepOf('/out/step_100/rank0_memory_snapshot.pickle'), 100);
    assert.equal(stepOf('/out/rank0/step_12.pickle'), 12);
    assert.equal(stepOf('/out/before.pickle'), null);
    assert.equal(stepOf('/exp12/before.pickle'), null);
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

  it('begin anew where a later step was taken earlier', async () => {
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
});

describe('Blocks between two dumps', () => {
  it('survive, are born and are freed as brute force on addresses and births says', async () => {
    const digests = await digestsUnder('recordings/aux_loss');
    const flow = followBlocks(digests[0], digests[2]);
    assert.ok(flow !== null);
    const total = (tallies: ReadonlyMap<number, { bytes: number }>): number =>
      [...tallies.values()].reduce((sum, tally) => sum + tally.bytes, 0);
    const live = (i: number): number => digests[i].devices[0].liveBytes;
    assert.equal(total(flow.survived) + total(flow.born), live(2));
    assert.equal(total(flow.survived) + total(flow.freed), live(0));
    const events = digests[0].heads[0].events;
    const { blocks } = digests[2];
    let born = 0;
    for (let i = 0; i < blocks.count; i++) if (blocks.born[i] >= events) born += blocks.size[i];
    assert.equal(total(flow.born), born);
  });

  it('are not told across processes', async () => {
    const [rank0, rank1] = [
      await digestsUnder('recordings/two_ranks/snapshots/rank0'),
      await digestsUnder('recordings/two_ranks/snapshots/rank1'),
    ];
    assert.equal(followBlocks(rank0[0], rank1[1]), null);
    assert.equal(followBlocks(rank0[2], rank0[0]), null);
  });
});
