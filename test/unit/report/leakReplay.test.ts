/** A failed allocation of a run that leaks, replayed without the leak. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { replayAsRecorded } from '../../../src/core/allocator/recordedReplay.js';
import { whatIf } from '../../../src/core/allocator/whatIf.js';
import { ownerOfStack } from '../../../src/core/attribution/ownerTally.js';
import { findSteps } from '../../../src/core/attribution/steps/steps.js';
import { digestSnapshot } from '../../../src/core/digest/digest.js';
import { deviceHistory } from '../../../src/core/model/history.js';
import type { Snapshot } from '../../../src/core/model/snapshot.js';
import { renderText } from '../../../src/core/render/renderText.js';
import { leakyFailures, withoutLeaks } from '../../../src/core/report/peak/leakReplay.js';
import { leakedBefore } from '../../../src/core/report/peak/programChanges.js';
import type { Report } from '../../../src/core/report/report.js';
import { ReportsFromSources } from '../../../src/core/report/sources/reportFromSources.js';
import { listPythonFiles } from '../../../src/node/listPythonFiles.js';
import { SourceFiles } from '../../../src/node/sourceFiles.js';
import { picklesUnder, readFile } from '../../support/snapshots.js';
import { withFailure } from '../../support/withFailure.js';
import { exampleFolder } from '../../support/workspaces.js';

const MIB = 2 ** 20;
const FREE = 8 * MIB;
const LINE = { file: 'detector/pyramid.py', line: 16 };
/** The example's frames, in terms of its folder. */
const fileOf = (file: string): string | null => /detector\/(.*\.py)$/.exec(file)?.[1] ?? null;

describe('A failed allocation of a run that leaks', () => {
  let recorded: Snapshot;
  /** It ends with a failure. */
  let snapshot: Snapshot;
  let report: Report;

  before(async () => {
    const folder = exampleFolder();
    const paths = picklesUnder(join(folder, 'snapshots'));
    const snapshots = await Promise.all(paths.map((path) => readFile(path)));
    recorded = snapshots[snapshots.length - 1];
    snapshot = withFailure(recorded, 64 * MIB, FREE);
    snapshots[snapshots.length - 1] = snapshot;
    const { lineText, sourceText, sourceFacts } = new SourceFiles([{ prefix: '', folder }]);
    const sources = { files: await listPythonFiles(folder), rules: [], lineText, sourceText, sourceFacts };
    const digests = snapshots.map((one, i) => digestSnapshot(paths[i], one));
    ({ report } = await new ReportsFromSources().report(digests, sources));
  });

  it('would have fit without what the line has left behind, and the report says so after the holder', () => {
    const [leaky, ...others] = leakyFailures(report);
    assert.deepEqual(others, []);
    assert.deepEqual(
      leaky.lines.map(({ file, line }) => ({ file, line })),
      [LINE],
    );
    leaky.failure.withoutLeaks = withoutLeaks(snapshot, findSteps(snapshot), leaky, fileOf);
    const left = leaky.failure.withoutLeaks?.leftBytes ?? 0;
    const { leakedBytes } = leaky.lines[0];
    assert.ok(left > leakedBytes / 2 && left < leakedBytes + FREE, `${left} of ${leakedBytes}`);
    const lines = renderText(report, { maxLines: 5 }).split('\n');
    assert.match(lines[0], /step_#\.pickle: Out of memory on device 0: .* requested 64\.0 MiB/);
    assert.match(lines[2], /^ {2}FeaturePyramid\.visited \(pyramid\.py:18\) holds 1\.3 GiB\. Clear /);
    assert.equal(lines[3], '  Without the leak it would have fit with 1.3 GiB left (replayed).');
    assert.doesNotMatch(lines.join('\n'), /Fragmentation:/);
  });

  it('leaves out the line’s blocks of earlier steps alone', () => {
    const history = deviceHistory(snapshot, 0);
    const { trace, allocations } = history;
    const steps = findSteps(snapshot);
    assert.ok(steps !== null);
    const event = trace.count - 1;
    const rows = leakedBefore(snapshot, history, event, [LINE], steps, fileOf);
    const lastStep = Math.max(...steps.starts);
    for (let row = 0; row < allocations.count; row++) {
      const owner = ownerOfStack(snapshot, allocations.stack[row], allocations.forwardStack[row], 'noStack', fileOf);
      const isOwn = 'line' in owner && owner.line.file === LINE.file && owner.line.line === LINE.line;
      const isLeft = allocations.birth[row] < lastStep && allocations.death[row] >= trace.count;
      assert.equal(rows[row] === 1, isOwn && isLeft, `row ${row}`);
    }
    assert.ok(rows.filter((one) => one === 1).length > 30);
    // Without steps, the last block of each stack stays.
    const without = leakedBefore(snapshot, history, event, [LINE], null, fileOf);
    assert.ok(without.filter((one) => one === 1).length > 30);
  });

  it('would not have fit without the leak if the request is larger than all that it holds', () => {
    const larger = withFailure(recorded, 3000 * MIB, FREE);
    const { requests } = replayAsRecorded(larger, deviceHistory(larger, 0));
    assert.equal(requests && whatIf(requests, {}).fits, false);
    const [leaky] = leakyFailures(report);
    const answer = withoutLeaks(larger, findSteps(larger), leaky, fileOf);
    assert.equal(answer?.leftBytes, null);
    assert.ok((answer.shortBytes ?? 0) > 1024 * MIB);
  });
});
