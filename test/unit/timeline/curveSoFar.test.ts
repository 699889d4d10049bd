import assert from 'node:assert/strict';
import { join } from 'node:path';
import { readSnapshot } from '../../../src/core/formats/readSnapshot.js';
import { deviceHistory } from '../../../src/core/model/history.js';
import { CurveSoFar } from '../../../src/core/timeline/curveSoFar.js';
import { openFile } from '../../../src/node/fileSource.js';
import { exampleFolder } from '../../support/workspaces.js';

describe('the curve of a file that is being read', () => {
  it('fills piece by piece, and ends as high above its lowest point as the history', async () => {
    const file = await openFile(join(exampleFolder(), 'snapshots/step_0040.pickle'));
    let curve: CurveSoFar | undefined;
    const points: number[] = [];
    const told: Float64Array[] = [];
    const snapshot = await readSnapshot(file.source, {
      chunkSize: 65_536,
      onEvents: (columns) => (curve = new CurveSoFar(columns)),
      onProgress: () => {
        const live = curve?.read() ?? new Float64Array();
        told.push(live);
        points.push(live.length);
      },
    });
    await file.close();
    const live = curve?.read() ?? new Float64Array();
    assert.ok(
      told.some(({ length }) => length > 0 && length <= 256),
      'it was not told while it was read',
    );
    assert.ok(live.length > 100 && live.length <= 256, `${live.length} points`);
    const history = deviceHistory(snapshot, 0);
    const lowest = history.live.reduce((least, bytes) => Math.min(least, bytes));
    const peak = history.live.reduce((most, bytes) => Math.max(most, bytes), 0);
    // Blocks are larger than what was requested, by a few percent.
    const height = Math.max(...live);
    assert.ok(height <= peak - lowest && height > 0.95 * (peak - lowest), `${height} of ${peak - lowest} bytes`);
  });
});
