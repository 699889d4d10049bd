import assert from 'node:assert/strict';
import { join } from 'node:path';
import { plantedSources, plantedWorkspace, recordedPrograms } from '../../../bench/planted.js';
import { digestSnapshot } from '../../../src/core/digest/digest.js';
import { stepOfDigest } from '../../../src/core/runs/runs.js';
import { ReportsFromSources } from '../../../src/core/report/reportFromSources.js';
import { readRecording } from '../../../src/node/recordingFile.js';
import { FIXTURES, picklesUnder, readFile } from '../../support/snapshots.js';

const FOLDER = join(FIXTURES, 'planted');
const ACCUSED = ['leak', 'cycle'];

describe('The planted programs', () => {
  const recorded = recordedPrograms(FOLDER);

  it('are named where they leak, and left alone where they do not', async function () {
    if (recorded.length === 0) {
      console.log('    skipped: no recordings under test/fixtures/planted');
      this.skip();
    }
    const workspace = plantedWorkspace(FOLDER);
    const reports = new ReportsFromSources(() => 0);
    for (const { program, snapshots } of recorded.filter(({ program: { blind } }) => blind !== true)) {
      const digests = await Promise.all(
        picklesUnder(snapshots).map(async (path) =>
          digestSnapshot(path, await readFile(path), await readRecording(path)),
        ),
      );
      const { report } = await reports.report(digests, workspace);
      const lines = report.runs.flatMap((run) => run.lines);
      const accused = lines.filter((line) => ACCUSED.includes(line.verdict));
      if (program.silent) {
        assert.deepEqual(
          accused.map((line) => `${program.name}: ${line.file}:${line.line}`),
          [],
        );
        continue;
      }
      for (const planted of program.lines.filter(({ verdict }) => ACCUSED.includes(verdict))) {
        const line = lines.find(
          (one) => one.line === planted.line && planted.file.endsWith(one.file.split('/').at(-1) ?? ''),
        );
        assert.equal(line?.verdict, planted.verdict, `${program.name}: ${planted.file}:${planted.line}`);
      }
    }
  });

  it('have holders named only for lines that allocate memory themselves, whenever one looks', async () => {
    const reports = new ReportsFromSources(() => 0);
    const workspace = { files: plantedSources(FOLDER), rules: [] };
    let held = 0;
    for (const { program, snapshots } of recorded) {
      const digests = await Promise.all(
        picklesUnder(snapshots).map(async (path) =>
          digestSnapshot(path, await readFile(path), await readRecording(path)),
        ),
      );
      for (const steps of [12, 20, 30]) {
        const seen = digests.filter((digest) => (stepOfDigest(digest) ?? 0) <= steps);
        const { report } = await reports.report(seen, workspace);
        for (const { line, series, holder } of report.runs.flatMap((run) => run.lines)) {
          if (holder === null) continue;
          held++;
          assert.ok(
            series.some((bytes) => bytes > 0),
            `${program.name}:${line} after ${steps} steps`,
          );
        }
      }
    }
    assert.ok(held > 0 || recorded.length === 0);
  });
});
