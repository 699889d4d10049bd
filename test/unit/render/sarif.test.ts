import assert from 'node:assert/strict';
import { join } from 'node:path';
import { plantedSources, plantedWorkspace } from '../../../bench/planted.js';
import { digestSnapshot } from '../../../src/core/digest/digest.js';
import { ReportsFromSources } from '../../../src/core/report/sources/reportFromSources.js';
import type { ReportWorkspace } from '../../../src/core/report/reportWorkspace.js';
import { renderSarif, type SarifLog, type SarifResult } from '../../../src/core/render/renderSarif.js';
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
  return (await new ReportsFromSources().report(digests, workspace)).report;
}

/** RFC 3986: signs of a path's segment. */
const SIGN = "(?:[\\w\\-.~!$&'()*+,;=:@]|%[\\dA-Fa-f]{2})";
/** RFC 8089: a host or none, then an absolute path. */
const FILE_URI = new RegExp(`^file://[\\w.-]*(?:/${SIGN}*)+$`);
/** RFC 3986: a relative path, whose first segment has no colon. */
const RELATIVE = new RegExp(`^(?:(?!:)${SIGN})*(?:/${SIGN}*)*$`);

/** The rules of SARIF 2.1.0 for the used parts. */
function assertValid(log: SarifLog): void {
  assert.deepEqual(Object.keys(log).sort(), ['$schema', 'runs', 'version']);
  assert.equal(log.version, '2.1.0');
  for (const { tool, results, originalUriBaseIds } of log.runs) {
    const { name, semanticVersion, informationUri, rules } = tool.driver;
    assert.ok(name.length > 0);
    assert.match(informationUri, /^https:\/\//);
    assert.match(semanticVersion, /^\d+\.\d+\.\d+$/);
    assert.equal(new Set(rules.map((rule) => rule.id)).size, rules.length);
    // https://docs.github.com/code-security/reference/code-scanning/sarif-files/sarif-support-for-code-scanning
    for (const { shortDescription, fullDescription, help, helpUri, ...rule } of rules) {
      assert.match(rule.name, /^[A-Z][A-Za-z]+$/);
      assert.match(helpUri, /^https:\/\//);
      for (const text of [shortDescription.text, fullDescription.text, help.text])
        assert.ok(text.length > 0 && text.length < 1024);
      assert.ok(help.markdown.startsWith(help.text) && help.markdown.includes(helpUri));
    }
    for (const result of results) {
      assert.ok(result.locations[0].physicalLocation.region !== undefined, 'GitHub shows a result at its line');
      assert.equal(rules[result.ruleIndex].id, result.ruleId);
      assert.ok(['none', 'note', 'warning', 'error'].includes(result.level));
      assert.ok(result.message.text.length > 0);
      assert.ok(result.locations.length > 0);
      assert.match(result.partialFingerprints['leaklineFinding/v1'], /^[0-9a-f]{16}:\d+$/);
      assert.equal(new Set(results.map((one) => one.partialFingerprints['leaklineFinding/v1'])).size, results.length);
      for (const items of [result.stacks ?? [], result.relatedLocations ?? [], result.suppressions ?? []])
        assert.equal(new Set(items.map((item) => JSON.stringify(item))).size, items.length, 'uniqueItems');
      const frames = (result.stacks ?? []).flatMap((stack) => stack.frames.map((frame) => frame.location));
      for (const { physicalLocation } of [...result.locations, ...(result.relatedLocations ?? []), ...frames]) {
        const { uri, uriBaseId } = physicalLocation.artifactLocation;
        assert.doesNotThrow(() => new URL(uri, 'file:///base/'), uri);
        assert.match(uri, uriBaseId === undefined ? FILE_URI : RELATIVE, uri);
        if (uriBaseId !== undefined) assert.ok(uriBaseId in originalUriBaseIds);
        if (physicalLocation.region !== undefined) {
          assert.ok(Number.isInteger(physicalLocation.region.startLine) && physicalLocation.region.startLine >= 1);
        }
      }
    }
  }
}

describe('A report as SARIF', () => {
  it('has one result for the statement that holds the memory of four lines, with those lines and their stacks', async () => {
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

  it('retains fingerprints when lines are inserted above, and distinguishes findings', async () => {
    const inserted = 7;
    const workspace = plantedWorkspace(FOLDER);
    const { lineText, sourceText } = workspace;
    const longer: ReportWorkspace = {
      ...workspace,
      lineText: (file, line) => (line > inserted ? (lineText?.(file, line - inserted) ?? null) : '# a new line'),
      sourceText: (file) => '# a new line\n'.repeat(inserted) + (sourceText?.(file) ?? ''),
    };
    let holders = 0;
    for (const program of ['aux_loss', 'detector', 'mixed_line', 'log_queue', 'hook_outputs']) {
      const judge = async (given: ReportWorkspace, lines: number): Promise<SarifResult[]> => {
        const moved = <Frame extends { file: string; line: number }>(frame: Frame): Frame =>
          frame.file.includes('/site-packages/') || frame.line < 1 ? frame : { ...frame, line: frame.line + lines };
        const digests = await Promise.all(
          picklesUnder(join(FOLDER, 'recordings', program)).map(async (path) => {
            const digest = digestSnapshot(path, await readFile(path), null);
            return { ...digest, frames: digest.frames.map(moved) };
          }),
        );
        const { report } = await new ReportsFromSources().report(digests, given);
        const log = renderSarif(report, VERSION);
        assertValid(log);
        return log.runs[0].results;
      };
      const [before, after] = [await judge(workspace, 0), await judge(longer, inserted)];
      const prints = (results: readonly SarifResult[]): object[] =>
        results.map(({ partialFingerprints }) => partialFingerprints);
      const lines = (results: readonly SarifResult[]): (number | undefined)[] =>
        results.map(({ locations }) => locations[0].physicalLocation.region?.startLine);
      assert.ok(before.length > 0, program);
      assert.deepEqual(prints(after), prints(before), program);
      assert.deepEqual(
        lines(after),
        lines(before).map((line) => (line ?? 0) + inserted),
        program,
      );
      holders += before.filter(({ relatedLocations }) => relatedLocations !== undefined).length;
    }
    assert.ok(holders > 0);
  });

  it('marks each result as new or from the baseline, with a baseline', async () => {
    const report = await reportOf('aux_loss', plantedSources(FOLDER));
    const [run] = report.runs;
    const lines = run.lines.map((line, i) => ({ ...line, holder: null, ignored: i === 0, inBaseline: i === 0 }));
    const states = (hasBaseline: boolean): (string | undefined)[] =>
      renderSarif({ ...report, runs: [{ ...run, lines }] }, VERSION, { hasBaseline, prefix: '' }).runs[0].results.map(
        ({ baselineState, suppressions }) => baselineState ?? suppressions?.[0].kind,
      );
    assert.deepEqual(new Set(states(true).slice(0, -1)), new Set(['new']));
    assert.equal(states(true).at(-1), 'unchanged');
    assert.ok(states(true).length > 1);
  });

  it('has a result for each budget that is exceeded', async () => {
    const report = await reportOf('adam_state', plantedWorkspace(FOLDER));
    const over = { measuredBytes: 20, allowedBytes: 10 };
    const overBudget = [
      { ...over, at: { file: 'train.py', line: 3 }, message: 'train.py:3 leaks' },
      { ...over, at: null, message: 'Device 0 reaches 20 B' },
    ];
    const log = renderSarif({ ...report, overBudget }, VERSION, { hasBaseline: false, prefix: 'a b/' });
    assertValid(log);
    assert.deepEqual(
      log.runs[0].results.map(({ ruleId, locations, message }) => [
        ruleId,
        locations[0].physicalLocation.artifactLocation.uri,
        message.text,
      ]),
      [
        ['overBudget', 'a%20b/train.py', 'train.py:3 leaks'],
        ['overBudget', 'a%20b/.leakline.json', 'Device 0 reaches 20 B'],
      ],
    );
  });

  it('names files of another machine as they were recorded, whatever they are called', async () => {
    const report = await reportOf('aux_loss', []);
    assertValid(renderSarif(report, VERSION));
    const [line] = report.runs[0].lines;
    const of = (file: string): string => {
      const [stack] = line.stacks;
      const stacks = [{ ...stack, frames: stack.frames.map((frame) => ({ ...frame, file })) }];
      const lines = [{ ...line, verdict: 'leak' as const, file, stacks, holder: null }];
      const log = renderSarif({ ...report, runs: [{ ...report.runs[0], lines }] }, VERSION);
      assertValid(log);
      return log.runs[0].results[0].locations[0].physicalLocation.artifactLocation.uri;
    };
    assert.equal(of('/home/ml/my model/train#1.py'), 'file:///home/ml/my%20model/train%231.py');
    assert.equal(of('C:\\jobs\\train.py'), 'file:///C:/jobs/train.py');
    assert.equal(of('\\\\host\\share\\a b.py'), 'file://host/share/a%20b.py');
    assert.equal(of('\\\\host.lan\\c$\\ä.py'), 'file://host.lan/c%24/%C3%A4.py');
    assert.equal(of('//host'), 'file:///host');
    for (const odd of [
      'a:b.py',
      '../a.py',
      '',
      '/',
      '//',
      'a?b#c',
      '%41',
      'C:',
      'c:a.py',
      "a'(b)*!.py",
      '\\\\',
      '\0\n',
    ])
      of(odd);
    assert.equal(of('//h:1@x/y.py'), 'file:///h%3A1%40x/y.py');
    assert.equal(of('\\\\?\\C:\\jobs\\train.py'), 'file:///C:/jobs/train.py');
    assert.equal(of('\ud800.py'), '%EF%BF%BD.py');
    assert.equal(of('<ipython-input-1>'), '%3Cipython-input-1%3E');
  });

  it('has each stack once: those that differ in frames that are left out are one', async () => {
    const report = await reportOf('aux_loss', []);
    const [run] = report.runs;
    const [line] = run.lines;
    const [stack] = line.stacks;
    const native = { file: 'libtorch.so', line: 0, function: 'c10' };
    const stacks = [
      stack,
      { ...stack, frames: [native, ...stack.frames] },
      { ...stack, liveBytes: 2 * stack.liveBytes },
    ];
    const lines = [{ ...line, verdict: 'leak' as const, stacks, holder: null }];
    const log = renderSarif({ ...report, runs: [{ ...run, lines }] }, VERSION);
    assertValid(log);
    assert.equal(log.runs[0].results[0].stacks?.length, 2);
  });

  it('suppresses ignored leaks', async () => {
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
