import assert from 'node:assert/strict';
import { join } from 'node:path';
import { plantedSources, plantedWorkspace } from '../../../bench/planted.js';
import { digestSnapshot } from '../../../src/core/digest/digest.js';
import { ReportsFromSources } from '../../../src/core/report/reportFromSources.js';
import type { ReportWorkspace } from '../../../src/core/report/reportWorkspace.js';
import { renderSarif, type SarifLog } from '../../../src/core/render/renderSarif.js';
import type { Report } from '../../../src/core/report/report.js';
import { readRecording } from '../../../src/node/recordingFile.js';
import { FIXTURES, picklesUnder, readFile } from '../../support/snapshots.js';

const FOLDER = join(FIXTURES, 'planted');
const VERSION = '1.2.3';

async function reportOf(program: string, given: readonly string[] | ReportWorkspace): Promise<Report> {
  const digests = await Promise.all(
    picklesUnder(join(FOLDER, 'recordings', program)).map(async (path) =>
      digestSnapshot(path, await readFile(path), await readRecording(path)),
    ),
  );
  const workspace = 'rules' in given ? given : { files: given, rules: [] };
  return (await new ReportsFromSources(() => 0).report(digests, workspace)).report;
}

/** What SARIF 2.1.0 asks of the parts that are used here. */
function assertValid(log: SarifLog): void {
  assert.deepEqual(Object.keys(log).sort(), ['$schema', 'runs', 'version']);
  assert.equal(log.version, '2.1.0');
  for (const { tool, results, originalUriBaseIds } of log.runs) {
    const { name, semanticVersion, rules } = tool.driver;
    assert.ok(name.length > 0);
    assert.match(semanticVersion, /^\d+\.\d+\.\d+$/);
    assert.equal(new Set(rules.map((rule) => rule.id)).size, rules.length);
    for (const result of results) {
      assert.equal(rules[result.ruleIndex].id, result.ruleId);
      assert.ok(['none', 'note', 'warning', 'error'].includes(result.level));
      assert.ok(result.message.text.length > 0);
      assert.ok(result.locations.length > 0);
      assert.match(result.partialFingerprints['leaklineFinding/v1'], /^[0-9a-f]{16}$/);
      const frames = (result.stacks ?? []).flatMap((stack) => stack.frames.map((frame) => frame.location));
      for (const { physicalLocation } of [...result.locations, ...(result.relatedLocations ?? []), ...frames]) {
        const { uri, uriBaseId } = physicalLocation.artifactLocation;
        assert.doesNotThrow(() => new URL(uri, 'file:///base/'), uri);
        assert.match(uri, /^[\w\-.~:/%!'()*]*$/, 'a URI has no other signs');
        if (uriBaseId === undefined) assert.match(uri, /^file:\/\//);
        else assert.ok(uriBaseId in originalUriBaseIds);
        if (physicalLocation.region !== undefined) {
          assert.ok(Number.isInteger(physicalLocation.region.startLine) && physicalLocation.region.startLine >= 1);
        }
      }
    }
  }
}

describe('A report as SARIF', () => {
  it('has one result for the statement that holds what four lines allocate, with those lines and their stacks', async () => {
    const report = await reportOf('aux_loss', plantedWorkspace(FOLDER));
    const log = renderSarif(report, VERSION);
    assertValid(log);
    const [result, ...others] = log.runs[0].results;
    assert.deepEqual(others, []);
    const leaks = report.runs[0].lines.filter((line) => line.verdict === 'leak');
    assert.ok(leaks.length > 1);
    assert.equal(result.locations[0].physicalLocation.region?.startLine, 27);
    assert.deepEqual([result.ruleId, result.level], ['leak', 'error']);
    assert.match(result.message.text, /^Leaks .+\/step \(.+ so far\), held by history\['aux'\]\. /);
    assert.deepEqual(
      result.relatedLocations?.map(({ physicalLocation: { region } }) => region?.startLine).sort(),
      leaks.map(({ line }) => line).sort(),
    );
    assert.ok((result.stacks?.[0].frames.length ?? 0) > 0);
    assert.equal(
      result.properties.bytes,
      leaks.reduce((sum, { leakedBytes }) => sum + leakedBytes, 0),
    );
    assert.equal(JSON.stringify(log), JSON.stringify(JSON.parse(JSON.stringify(log))));
  });

  it('keeps a result’s fingerprint while its line moves, and tells lines apart', async () => {
    const report = await reportOf('aux_loss', plantedSources(FOLDER));
    const prints = (of: Report): string[] =>
      renderSarif(of, VERSION).runs[0].results.map((result) => result.partialFingerprints['leaklineFinding/v1']);
    const shift = <Place extends { file: string; line: number }>(place: Place): Place =>
      place.file.endsWith('.py') && !place.file.startsWith('/') ? { ...place, line: place.line + 7 } : place;
    const moved: Report = {
      ...report,
      runs: report.runs.map((run) => ({
        ...run,
        lines: run.lines.map((line) => ({
          ...shift(line),
          stacks: line.stacks.map((stack) => ({ ...stack, frames: stack.frames.map(shift) })),
        })),
      })),
    };
    assert.deepEqual(prints(moved), prints(report));
    const bare = {
      ...report,
      runs: report.runs.map((run) => ({ ...run, lines: run.lines.map((line) => ({ ...line, holder: null })) })),
    };
    assert.ok(new Set(prints(bare)).size > 1);
  });

  it('names files of another machine as they were recorded, whatever they are called', async () => {
    const report = await reportOf('aux_loss', []);
    assertValid(renderSarif(report, VERSION));
    const [line] = report.runs[0].lines;
    const of = (file: string): string =>
      renderSarif(
        {
          ...report,
          runs: [{ ...report.runs[0], lines: [{ ...line, verdict: 'leak', file, stacks: [], holder: null }] }],
        },
        VERSION,
      ).runs[0].results[0].locations[0].physicalLocation.artifactLocation.uri;
    assert.equal(of('/home/ml/my model/train#1.py'), 'file:///home/ml/my%20model/train%231.py');
    assert.equal(of('C:\\jobs\\train.py'), 'file:///C:/jobs/train.py');
    assert.equal(of('\\\\host\\share\\a b.py'), 'file://host/share/a%20b.py');
    assert.equal(of('//h:1@x/y.py'), 'file:///h%3A1%40x/y.py');
    assert.equal(of('\\\\?\\C:\\jobs\\train.py'), 'file:///C:/jobs/train.py');
    assert.equal(of('\ud800.py'), '%EF%BF%BD.py');
    assert.equal(of('<ipython-input-1>'), '%3Cipython-input-1%3E');
  });

  it('suppresses what a team has decided to live with', async () => {
    const report = await reportOf('aux_loss', plantedSources(FOLDER));
    const [run] = report.runs;
    const lines = run.lines.map((line, i) => ({ ...line, holder: null, ignored: i === 0 }));
    const { results } = renderSarif({ ...report, runs: [{ ...run, lines }] }, VERSION).runs[0];
    assert.deepEqual(
      results.map((result) => result.suppressions?.length ?? 0),
      results.map((_, i) => (i === results.length - 1 ? 1 : 0)),
    );
    assert.ok(results.length > 1);
    assert.deepEqual(results.at(-1)?.locations[0].physicalLocation.region?.startLine, run.lines[0].line);
  });

  it('is empty where nothing leaks', async () => {
    const log = renderSarif(await reportOf('adam_state', plantedSources(FOLDER)), VERSION);
    assertValid(log);
    assert.deepEqual(log.runs[0].results, []);
  });
});
