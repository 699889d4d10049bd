/** Segments and blocks at any instant: against the curves everywhere, and against earlier dumps of the same process. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { deviceHistory } from '../../../src/core/model/history.js';
import { memoryMap } from '../../../src/core/timeline/memoryMap.js';
import { snapshotAt } from '../../../src/core/model/snapshotAt.js';
import { BlockState, type Snapshot } from '../../../src/core/model/snapshot.js';
import { seededRandom } from '../../support/seededRandom.js';
import { CORPUS, FIXTURES, hasCorpus, picklesUnder, readFile } from '../../support/snapshots.js';
import { exampleFolder } from '../../support/workspaces.js';
import { eventTime } from '../../../src/core/model/eventTime.js';

/** `address size` of each live block of a device. */
function liveBlocks({ blocks, segments }: Snapshot, device: number): Map<string, number> {
  const live = new Map<string, number>();
  for (let block = 0; block < blocks.count; block++) {
    if (blocks.state[block] === BlockState.Inactive || segments.device[blocks.segment[block]] !== device) continue;
    live.set(`${blocks.addrHigh[block]}/${blocks.addrLow[block]}`, blocks.size[block]);
  }
  return live;
}

/** Address, size and stream of each segment of a device. */
function segmentsOf({ segments, strings }: Snapshot, device: number): string[] {
  const rows = Array.from(segments.device, (_, row) => row).filter((row) => segments.device[row] === device);
  return rows
    .map((row) =>
      [segments.addrHigh, segments.addrLow, segments.totalSize]
        .map((column) => column[row])
        .join(' ')
        .concat(` stream ${strings.text(segments.stream[row])}`),
    )
    .sort();
}

describe('the memory at an instant', () => {
  const folders = [
    join(exampleFolder(), 'snapshots'),
    ...['running_total', 'two_ranks', 'epoch_outputs', 'out_of_memory'].map((name) =>
      join(FIXTURES, 'planted/recordings', name),
    ),
    ...(hasCorpus() ? [join(CORPUS, 'aux_loss/snapshots'), join(CORPUS, 'two_ranks/snapshots')] : []),
  ];

  it('adds up to the curves, and is that of the blocks at the end', async () => {
    const random = seededRandom(3);
    for (const path of folders.map((folder) => picklesUnder(folder)[1])) {
      const snapshot = await readFile(path);
      for (const { device, count } of snapshot.traces) {
        const history = deviceHistory(snapshot, device);
        for (const event of [-1, 0, count - 1, ...Array.from({ length: 6 }, () => random(count))]) {
          const at = snapshotAt(snapshot, history, event);
          const { total } = memoryMap(at.snapshot, device, { pixels: 1000, rows: 1, only: null });
          assert.equal(total.liveBytes + at.unplacedBytes, history.live[event + 1], `${path} ${event}`);
          assert.equal(total.reservedBytes, history.reserved?.[event + 1], `${path} ${event}`);
          assert.equal(at.unplacedBytes, 0, `${path} ${event}`);
        }
        const end = snapshotAt(snapshot, history, count - 1);
        assert.deepEqual(liveBlocks(end.snapshot, device), liveBlocks(snapshot, device));
      }
    }
  });

  it('equals an earlier snapshot of the same process', async () => {
    let compared = 0;
    for (const folder of folders) {
      const paths = picklesUnder(folder);
      const [early, late] = await Promise.all([paths[0], paths[paths.length - 1]].map((path) => readFile(path)));
      for (const { device, count, first } of early.traces) {
        const history = deviceHistory(late, device);
        const same = eventTime(late.events, history.trace.first) === eventTime(early.events, first);
        if (!same || history.trace.count <= count) continue;
        const { snapshot } = snapshotAt(late, history, count - 1);
        const at = liveBlocks(snapshot, device);
        const truth = liveBlocks(early, device);
        assert.deepEqual([...at.keys()].sort(), [...truth.keys()].sort(), folder);
        assert.deepEqual(segmentsOf(snapshot, device), segmentsOf(early, device), folder);
        compared++;
      }
    }
    assert.ok(compared >= 2, `${compared} compared`);
  });
});
