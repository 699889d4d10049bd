import assert from 'node:assert/strict';
import { join } from 'node:path';
import { livePaths, meanPaths } from '../../../src/core/timeline/callPaths.js';
import { deviceHistory } from '../../../src/core/model/history.js';
import { HistoryAxis } from '../../../src/core/model/historyAxis.js';
import { seededRandom } from '../../support/seededRandom.js';
import { FIXTURES, picklesUnder, readFile } from '../../support/snapshots.js';
import { meanLive } from '../../../src/worker/flameAnswers.js';

const noWorkspace = (): null => null;
const sumOf = (values: Float64Array): number => values.reduce((sum, value) => sum + value, 0);

describe('bytes times lifetime', () => {
  for (const axisName of ['time', 'events'] as const) {
    it(`adds up to the area under the curve, over any stretch of ${axisName}`, async () => {
      const random = seededRandom(7);
      for (const name of ['running_total', 'epoch_outputs', 'two_ranks']) {
        const snapshot = await readFile(picklesUnder(join(FIXTURES, 'planted/recordings', name))[1]);
        const history = deviceHistory(snapshot, 0);
        const axis = new HistoryAxis(history, axisName);
        const { extent } = axis;
        for (let round = 0; round < 12; round++) {
          const ends = [random(1e6), 1 + random(1e6)].map((at) => extent.from + (at / 1e6) * (extent.to - extent.from));
          const stretch = round === 0 ? extent : { from: Math.min(...ends), to: Math.max(...ends) };
          if (stretch.from === stretch.to) continue;
          // The area, event by event.
          let area = 0;
          for (let ordinal = -1; ordinal < history.trace.count; ordinal++) {
            const from = ordinal < 0 ? stretch.from : Math.max(stretch.from, axis.xOf(ordinal));
            const next = ordinal + 1 < history.trace.count ? axis.xOf(ordinal + 1) : stretch.to;
            const to = Math.min(stretch.to, next);
            if (to > from) area += history.live[ordinal + 1] * (to - from);
          }
          const mean = area / (stretch.to - stretch.from);
          const paths = meanPaths(snapshot, history, axis, stretch, round % 2 === 0, noWorkspace);
          const close = (bytes: number): void => {
            assert.ok(Math.abs(bytes - mean) <= 1e-9 * Math.max(1, mean), `${bytes} is not ${mean}`);
          };
          close(sumOf(paths.bytes));
          close(meanLive(history, axis, stretch));
        }
      }
    });
  }

  it('equals the live memory in a stretch without events', async () => {
    const snapshot = await readFile(picklesUnder(join(FIXTURES, 'planted/recordings', 'running_total'))[1]);
    const history = deviceHistory(snapshot, 0);
    const axis = new HistoryAxis(history, 'events');
    const mean = meanPaths(snapshot, history, axis, { from: 100.25, to: 100.75 }, true, noWorkspace);
    const live = livePaths(snapshot, history, 100, true, noWorkspace);
    assert.deepEqual([...mean.bytes], [...live.bytes]);
    assert.deepEqual([...mean.calls], [...live.calls]);
    assert.deepEqual([...mean.blocks], [...live.blocks]);
  });
});
