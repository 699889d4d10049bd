import assert from 'node:assert/strict';
import { join } from 'node:path';
import { digestSnapshot, type SnapshotDigest } from '../../../src/core/digest/digest.js';
import { buildReport } from '../../../src/core/report/buildReport.js';
import type { Report } from '../../../src/core/report/report.js';
import { readRecording } from '../../../src/node/recordingFile.js';
import { FIXTURES, picklesUnder, readFile } from '../../support/snapshots.js';

const reportOn = (digest: SnapshotDigest): Report => buildReport([digest], { files: [], rules: [] }).report;

describe('The digest of a snapshot that is alone', () => {
  it('makes the same report without curves and without joined traces', async () => {
    let curves = 0;
    for (const path of [...picklesUnder(join(FIXTURES, 'shapes')), ...picklesUnder(join(FIXTURES, 'recordings'))]) {
      const snapshot = await readFile(path);
      const recording = await readRecording(path);
      const whole = digestSnapshot(path, snapshot, recording);
      const alone = digestSnapshot(path, snapshot, recording, null, true);
      assert.deepEqual(reportOn(alone), reportOn(whole), path);
      for (const [i, { event, meeting }] of alone.curves.entries()) {
        assert.equal(event.length + meeting.anchors.at.length, 0);
        curves += Number(whole.curves[i].event.length > 0);
      }
    }
    assert.ok(curves > 10);
  });
});
