import assert from 'node:assert/strict';
import { join } from 'node:path';
import { digestSnapshot } from '../../../src/core/digest/digest.js';
import { buildReport } from '../../../src/core/report/buildReport.js';
import type { LineReport } from '../../../src/core/report/report.js';
import { boundStacks } from '../../../src/core/report/buildReport.js';
import { FIXTURES, picklesUnder, readFile } from '../../support/snapshots.js';

describe('The stacks of a report', () => {
  it('beyond a size are one per line, and bytes and blocks add up as before', async () => {
    const paths = picklesUnder(join(FIXTURES, 'recordings/aux_loss'));
    const digests = await Promise.all(paths.map(async (path) => digestSnapshot(path, await readFile(path))));
    const { runs } = buildReport(digests, { files: [], rules: [] }).report;
    const sums = ({ stacks }: LineReport): [number, number] => [
      stacks.reduce((sum, { liveBytes }) => sum + liveBytes, 0),
      stacks.reduce((sum, { blocks }) => sum + blocks, 0),
    ];
    const before = runs.flatMap(({ lines }) => lines).map((line) => ({ sums: sums(line), count: line.stacks.length }));
    boundStacks(runs, 6000);
    const lines = runs.flatMap((run) => run.lines);
    assert.deepEqual(
      lines.map(sums),
      before.map((line) => line.sums),
    );
    const last = lines[lines.length - 1];
    const cut = lines.filter(({ stacks, file, line }) =>
      stacks.some(({ frames }) => frames.length === 1 && frames[0].file === file && frames[0].line === line),
    );
    assert.ok(cut.length > 0 && cut.length < lines.length, `${cut.length} of ${lines.length}`);
    assert.ok(last.stacks.length <= 1);
    assert.ok(before.some(({ count }) => count > 1));
  });
});
