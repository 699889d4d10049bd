/** The mark on the line that requested memory that was not there. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { digestSnapshot } from '../../../src/core/digest/digest.js';
import { buildReport } from '../../../src/core/report/buildReport.js';
import { askingSentences, askingShort } from '../../../src/core/present/failed.js';
import { askingMarks } from '../../../src/extension/results/askingMarks.js';
import { FIXTURES, readFile } from '../../support/snapshots.js';

describe('The line that requested memory that was not there', () => {
  it('has a mark with the requested and the missing bytes', async () => {
    const path = join(FIXTURES, 'shapes/multidevice_oom.pickle');
    const { report } = buildReport([digestSnapshot(path, await readFile(path))], { files: [], rules: [] });
    const [mark, ...others] = askingMarks(report);
    assert.deepEqual(others, []);
    assert.equal(askingShort(mark), '✖ requested 400 MiB, 230 MiB short');
    const unknown = { ...mark, failure: { ...mark.failure, deviceFreeBytes: null } };
    assert.equal(askingShort(unknown), '✖ requested 400 MiB, out of memory');
    const held = (bytes: number): string => {
      const holder = { name: 'outputs', file: 'eval.py', line: 9, bytes, graphBytes: 0, fix: null };
      return askingShort({ ...mark, failure: { ...mark.failure, liveBytes: 2 ** 30, holders: [holder] } });
    };
    assert.equal(held(2 ** 29), '✖ requested 400 MiB, one object holds 512 MiB');
    assert.match(held(2 ** 28), /^✖ requested 400 MiB, .* short$/);
    assert.match(
      askingSentences(mark),
      /^Out of memory on device 2: .* requested 400 MiB.*\nThe device is full: even with an empty cache, 230 MiB is missing for the request of 400 MiB\.\nNo allocator setting .* 232 MiB short at best\.$/,
    );
  });

  it('is absent where nothing failed', async () => {
    const path = join(FIXTURES, 'shapes/t213.p4.pickle');
    const { report } = buildReport([digestSnapshot(path, await readFile(path))], { files: [], rules: [] });
    assert.deepEqual(askingMarks(report), []);
  });
});
