import assert from 'node:assert/strict';
import { join } from 'node:path';
import { digestSnapshot } from '../../../src/core/digest/digest.js';
import { buildReport } from '../../../src/core/report/buildReport.js';
import { rankDifferences } from '../../../src/core/report/ranks/rankDifference.js';
import { renderMarkdown } from '../../../src/core/render/renderMarkdown.js';
import { renderText } from '../../../src/core/render/renderText.js';
import type { Report } from '../../../src/core/report/report.js';
import { readRecording } from '../../../src/node/recordingFile.js';
import { FIXTURES, picklesUnder, readFile } from '../../support/snapshots.js';

async function reportOf(files: readonly string[]): Promise<Report> {
  const digests = await Promise.all(
    files.map(async (file) => digestSnapshot(file, await readFile(file), await readRecording(file))),
  );
  return buildReport(digests, { files: [], rules: [] }).report;
}

describe('Ranks that differ', () => {
  const two = picklesUnder(join(FIXTURES, 'recordings/two_ranks'));

  it('are distinguished on the line that grows on one of them', async () => {
    const report = await reportOf(two);
    const [difference, ...more] = report.ranks;
    assert.deepEqual(more, []);
    assert.ok(difference.file.endsWith('collect.py'));
    assert.equal(difference.line, 28);
    const ranks = [difference.growing, difference.calm].map((side) => side.map(({ rank, verdict }) => [rank, verdict]));
    assert.deepEqual(ranks[0], [[0, 'growing']]);
    assert.equal(ranks[1][0][0], 1);
    assert.notEqual(ranks[1][0][1], 'growing');
    const line = report.runs[0].lines.find((one) => one.line === 28);
    assert.equal(difference.growing[0].liveBytes, line?.liveBytes);
    assert.match(
      difference.message,
      /collect\.py:28 \(\w+\) grows on rank 0 \(\+.+\)\. It does not grow on rank 1\. Inspect code that only/,
    );
    assert.ok(renderText(report, { maxLines: 30 }).includes(difference.message));
    assert.match(renderMarkdown(report, { maxLines: 30 }), /## Ranks that differ\n\n- `.+grows on rank 0/);
  });

  it('do not where every rank grows, where there is one rank, or where the jobs are two', async () => {
    const [rank0] = [two.filter((file) => file.includes('rank0'))];
    assert.deepEqual((await reportOf(rank0)).ranks, []);
    const leak = picklesUnder(join(FIXTURES, 'recordings/aux_loss'));
    assert.deepEqual((await reportOf([...leak, ...rank0])).ranks, []);
    const both = await Promise.all(
      ['rank0', 'rank1'].flatMap((rank) =>
        rank0.map(async (file) => digestSnapshot(file.replace('rank0', rank), await readFile(file))),
      ),
    );
    const { report } = buildReport(both, { files: [], rules: [] });
    assert.deepEqual([report.runs.length, report.runs.every((run) => run.verdict === 'growing')], [2, true]);
    assert.deepEqual(report.ranks, []);
  });

  it('are not claimed to differ where the other rank was seen too shortly', async () => {
    const short = two.filter((file) => file.includes('rank0') || file.includes('step_12'));
    const report = await reportOf(short);
    assert.equal(report.runs[1].snapshots.length, 1);
    for (const { calm } of report.ranks) assert.ok(calm.every(({ verdict }) => verdict !== 'tooShort'));
  });

  it('are claimed to differ where the line is absent on a rank that was seen for long enough, and nowhere else', async () => {
    const [leaking, calm] = (await reportOf(two)).runs;
    const without = { ...calm, lines: [] };
    const [difference, ...more] = rankDifferences([leaking, without]);
    assert.deepEqual(more, []);
    assert.match(difference.message, /grows on rank 0 .+ It holds nothing on rank 1\./);
    assert.deepEqual(rankDifferences([leaking, { ...without, verdict: 'tooShort' }]), []);
  });
});
