import assert from 'node:assert/strict';
import {
  copyFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { ReportJson } from '../../../src/core/render/findingJson.js';
import type { CompareReport, LineReport, Report } from '../../../src/core/report/report.js';
import { runCli } from '../../support/cli.js';
import { PickleWriter } from '../../support/pickleWriter.js';
import { FIXTURES, picklesUnder } from '../../support/snapshots.js';
import { runHere } from './runHere.js';

const RECORDING = join(FIXTURES, 'recordings/aux_loss');
const SNAPSHOTS = picklesUnder(RECORDING);
const [FIRST] = SNAPSHOTS;
const LAST = SNAPSHOTS[SNAPSHOTS.length - 1];

/** The one sentence on standard error, without its prefix. */
function complaint(stderr: string): string {
  assert.match(stderr, /^leakline: [^\n]+\n$/, `one line: ${stderr}`);
  return stderr.slice('leakline: '.length).trimEnd();
}

describe('The command line', () => {
  let folder: string;
  const file = (name: string, content?: string | Uint8Array): string => {
    const path = join(folder, name);
    if (content !== undefined) writeFileSync(path, content);
    return path;
  };
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'leakline-cli-'));
  });
  after(() => {
    rmSync(folder, { recursive: true });
  });

  describe('analyze', () => {
    it('prints a table whose lines add up to the total, and the total to the devices', async () => {
      const { status, stdout, stderr } = await runHere('analyze', '--root', RECORDING, ...SNAPSHOTS);
      assert.deepEqual({ status, stderr }, { status: 0, stderr: '' });
      const rows = stdout.split('\n');
      const head = rows.findIndex((row) => row.includes('VERDICT'));
      const end = rows.findIndex((row) => row.endsWith('total'));
      const exact = (row: string): number => Number(/(?:[KMGT]i)?B +([\d,]+)/.exec(row)?.[1]?.replaceAll(',', ''));
      const parts = rows.slice(head + 1, end).map(exact);
      assert.ok(parts.length > 2 && parts.every(Number.isSafeInteger), stdout);
      assert.equal(
        parts.reduce((sum, bytes) => sum + bytes, 0),
        exact(rows[end]),
      );
      assert.ok(stdout.includes(`(${/[\d,]+(?= +total)/.exec(stdout)?.[0] ?? '?'} B)`), 'the device says the same');
      assert.match(stdout, /LEAK .*src\/train\.py:\d+ \(\w+\)/);
    });

    it('loads neither the Python parser nor compression for a snapshot that needs none', () => {
      const coverage = file('coverage');
      process.env['NODE_V8_COVERAGE'] = coverage;
      const { status } = runCli('analyze', '--root', RECORDING, FIRST);
      delete process.env['NODE_V8_COVERAGE'];
      assert.equal(status, 0);
      const loaded = readdirSync(coverage).map((name) => readFileSync(join(coverage, name), 'utf8'));
      const names = [...loaded.join('').matchAll(/\/dist\/([^"]+)"/g)].map(([, name]) => name);
      assert.ok(names.includes('cli-job.mjs'), names.join());
      assert.doesNotMatch(names.join(), /readModule|patternSearch|portableGzip/);
    });

    it('prints the report as JSON, and nothing else', async () => {
      const { status, stdout } = await runHere('analyze', '--json', '--root', RECORDING, ...SNAPSHOTS);
      assert.equal(status, 0);
      const report = JSON.parse(stdout) as ReportJson;
      assert.equal(report.schema, 'leakline.report/3');
      const [finding] = report.runs[0].findings;
      assert.match(finding.sentence, /^Leaks .* so far\)(, held by .*)?$/);
      const line = report.runs[0].lines.find(
        ({ file, line }) => file === finding.lines[0].file && line === finding.lines[0].line,
      );
      assert.equal(finding.lines[0].bytes, line?.leakedBytes);
      assert.deepEqual(
        report.runs[0].snapshots.map((snapshot) => snapshot.path),
        SNAPSHOTS,
      );
    });

    it('prints Markdown to paste', async () => {
      const { status, stdout } = await runHere('analyze', '--markdown', '--root', RECORDING, ...SNAPSHOTS);
      assert.equal(status, 0);
      assert.match(stdout, /^\| LEAK \| .* \| `src\/\w+\.py:\d+ \(\w+\)` \|$/m);
    });

    it('takes a folder for the snapshots below it, and each file once', async () => {
      const report = JSON.parse((await runHere('analyze', '--json', RECORDING, LAST)).stdout) as Report;
      assert.equal(report.runs[0].snapshots.length, SNAPSHOTS.length);
    });

    it('reports no ignored leak, but counts it', async () => {
      const root = file('ignoring');
      cpSync(join(RECORDING, 'src'), join(root, 'src'), { recursive: true });
      const analyze = async (): Promise<Report> =>
        JSON.parse((await runHere('analyze', '--json', '--root', root, ...SNAPSHOTS)).stdout) as Report;
      const leaks = ({ runs }: Report): LineReport[] =>
        runs[0].lines.filter(({ verdict, ignored }) => verdict === 'leak' && !ignored);
      const [first, ...others] = leaks(await analyze());
      assert.ok(others.length > 0);
      const { file: name, function: of, line } = first;
      writeFileSync(
        join(root, '.leakline.json'),
        JSON.stringify({ ignoredLeaks: [{ file: name, function: of, statement: first.statement?.text ?? '', line }] }),
      );
      assert.deepEqual(
        leaks(await analyze()).map(({ line: at }) => at),
        others.map(({ line: at }) => at),
      );
      const { stdout } = await runHere('analyze', '--root', root, ...SNAPSHOTS);
      assert.match(stdout, /: 1 leak\. 1 line is ignored\./);
      assert.match(stdout, /^ +ignored /m);
    });

    it('reports an invalid ignore file in one sentence, and all leaks', async () => {
      const root = file('misled');
      cpSync(join(RECORDING, 'src'), join(root, 'src'), { recursive: true });
      writeFileSync(join(root, '.leakline.json'), '{"ignoredLeaks": {}}');
      const { status, stdout, stderr } = await runHere('analyze', '--root', root, ...SNAPSHOTS);
      assert.equal(status, 2);
      assert.match(
        complaint(stderr),
        /\.leakline\.json cannot be read and has no effect: "ignoredLeaks" is not a list\./,
      );
      assert.match(stdout, /LEAK/);
    });

    it('leaves paths as recorded that are not below the root, and maps them by the user’s rules', async () => {
      mkdirSync(join(folder, 'bare'));
      const plain = JSON.parse((await runHere('analyze', '--json', '--root', file('bare'), LAST)).stdout) as Report;
      assert.ok(plain.runs[0].lines.every((line) => !line.mapped && line.file.startsWith('/home/ml/aux_loss/')));
      mkdirSync(join(folder, 'ws/deep'), { recursive: true });
      for (const name of ['model.py', 'train.py']) {
        file(`ws/deep/${name}`, '');
        file(`ws/${name}`, '');
      }
      const root = file('ws');
      const open = await runHere('analyze', '--root', root, LAST);
      assert.match(open.stdout, /model\.py could be deep\/model\.py or model\.py/);
      const rule = ['--map', '/home/ml/aux_loss/=deep'];
      const mapped = JSON.parse((await runHere('analyze', '--json', '--root', root, ...rule, LAST)).stdout) as Report;
      assert.ok(mapped.runs[0].lines.every((line) => line.mapped && line.file.startsWith('deep/')));
    });
  });

  describe('compare', () => {
    it('prints growth that adds up', async () => {
      const { status, stdout } = await runHere('compare', '--root', RECORDING, FIRST, LAST);
      assert.equal(status, 0);
      const growth = [...stdout.matchAll(/^ *[+-]?[\d.]+ (?:[KMGT]i)?B +([+-]?[\d,]+) .*$/gm)].map((match) =>
        Number(match[1].replaceAll(',', '')),
      );
      const total = growth.pop();
      assert.ok(growth.length > 3);
      assert.equal(
        growth.reduce((sum, bytes) => sum + bytes, 0),
        total,
      );
    });

    it('prints the report as JSON, with A and B as they were named', async () => {
      const report = JSON.parse((await runHere('compare', '--json', FIRST, LAST)).stdout) as CompareReport;
      assert.deepEqual([report.schema, report.a.path, report.b.path], ['leakline.compare/1', FIRST, LAST]);
    });

    it('prints Markdown to paste', async () => {
      const { status, stdout } = await runHere('compare', '--markdown', '--root', RECORDING, FIRST, LAST);
      assert.equal(status, 0);
      assert.match(stdout, /^\| \+[\d.]+ \w+ \| .* \| `src\/\w+\.py:\d+ \(\w+\)` \|$/m);
    });

    it('takes a snapshot against itself for no growth', async () => {
      const report = JSON.parse((await runHere('compare', '--json', LAST, LAST)).stdout) as CompareReport;
      assert.ok(report.lines.length > 0 && report.lines.every((line) => line.growthBytes === 0));
    });
  });

  describe('compares two runs, and', () => {
    const FIXES = join(FIXTURES, 'fixes');
    const compareFolders = (before: string, after: string, ...args: string[]): ReturnType<typeof runHere> =>
      runHere('compare', ...args, join(FIXES, before), join(FIXES, after));

    it('answers first whether the leak is gone', async () => {
      const { status, stdout, stderr } = await compareFolders('leak', 'gone');
      assert.deepEqual({ status, stderr }, { status: 0, stderr: '' });
      assert.match(stdout, /^The leak is gone: 17\.5 KiB per step before, 0 now\.\n/);
      assert.match(stdout, /gone +LEAK, 8\.0 KiB\/step +.*train\.py:22 \(main\), was line 20\n/);
      assert.match(
        (await compareFolders('leak', 'gone', '--markdown')).stdout,
        /^## Is the leak gone\?\n\n\*\*The leak is/,
      );
      const report = JSON.parse((await compareFolders('leak', 'gone', '--json')).stdout) as CompareReport;
      assert.equal(report.fix?.answer, 'gone');
    });

    it('ends with exit code 1 exactly on the answers of --fail-on', async () => {
      assert.equal((await compareFolders('gone', 'leak', '--fail-on', 'worse')).status, 1);
      assert.equal((await compareFolders('gone', 'leak')).status, 0);
      assert.equal((await compareFolders('leak', 'gone', '--fail-on', 'worse')).status, 0);
      assert.equal((await compareFolders('leak', 'short', '--fail-on', 'worse,cannotTell')).status, 1);
    });

    it('does not fail on a leak that the workspace ignores', async () => {
      const root = join(folder, 'fix');
      mkdirSync(root);
      const lines = Array.from({ length: 40 }, (_, i) => `statement_${i + 1}()`);
      writeFileSync(join(root, 'train.py'), lines.join('\n'));
      const status = async (): Promise<number | null> =>
        (await compareFolders('leak', 'more', '--root', root, '--fail-on', 'worse')).status;
      assert.equal(await status(), 1);
      const leak = { file: 'train.py', function: 'main', statement: 'statement_27()', line: 27 };
      writeFileSync(join(root, '.leakline.json'), JSON.stringify({ ignoredLeaks: [leak] }));
      assert.equal(await status(), 0);
      writeFileSync(join(root, '.leakline.json'), '{');
      assert.equal(await status(), 1);
    });

    it('has nothing to fail on where both snapshots are of one run', async () => {
      const { status, stderr } = await runHere('compare', '--fail-on', 'worse', FIRST, LAST);
      assert.equal(status, 2);
      assert.match(complaint(stderr), /needs two runs/);
    });

    it('pairs the ranks of two folders, and shows the one that is worst', async () => {
      const ranks = join(FIXTURES, 'recordings/two_ranks');
      const report = JSON.parse((await runHere('compare', '--json', ranks, ranks)).stdout) as CompareReport;
      assert.deepEqual([report.fix?.answer, report.fix?.before.rank], ['same', 0]);
      const { status, stderr } = await runHere('compare', FIXES, ranks);
      assert.equal(status, 2);
      assert.match(stderr, /holds several runs: name the folder of one/);
    });

    it('pairs what follows the training with its like, and shows the part that leaks', async () => {
      const planted = join(FIXTURES, 'planted');
      const recordings = (name: string): string => join(planted, 'recordings', name);
      const of = ['--root', planted, recordings('late_index'), recordings('built_index')];
      const { fix } = JSON.parse((await runHere('compare', '--json', ...of)).stdout) as CompareReport;
      assert.ok(fix !== null);
      assert.match(fix.before.run, /late_index-after-step-12 rank0$/);
      assert.match(fix.after.run, /built_index-after-step-12 rank0$/);
      assert.equal(fix.before.leakBytesPerStep, 4096);
      assert.notEqual(fix.answer, 'same');
    });

    it('takes a run that names no rank for rank 0', async () => {
      const ranks = join(FIXTURES, 'recordings/two_ranks');
      const report = JSON.parse(
        (await runHere('compare', '--json', join(FIXES, 'leak'), ranks)).stdout,
      ) as CompareReport;
      assert.deepEqual([report.fix?.before.rank, report.fix?.after.rank], [null, 0]);
    });
  });

  describe('analyze --fail-on', () => {
    it('ends with exit code 1 if there is such a verdict, and prints the report all the same', async () => {
      const root = ['--root', RECORDING];
      const { status, stdout, stderr } = await runHere('analyze', ...root, '--fail-on', 'leak', ...SNAPSHOTS);
      assert.deepEqual({ status, stderr }, { status: 1, stderr: '' });
      assert.match(stdout, /LEAK/);
      assert.equal((await runHere('analyze', ...root, '--fail-on', 'cycle,growing', ...SNAPSHOTS)).status, 0);
      // Without the source nothing is proved.
      assert.equal((await runHere('analyze', '--fail-on', 'leak', ...SNAPSHOTS)).status, 0);
      assert.equal((await runHere('analyze', '--fail-on', 'growing', ...SNAPSHOTS)).status, 1);
      // As tables print them.
      assert.equal((await runHere('analyze', '--fail-on', 'growing?', ...SNAPSHOTS)).status, 1);
      assert.equal((await runHere('analyze', '--fail-on', 'one-off,LEAK,reservedOnly', ...SNAPSHOTS)).status, 0);
      assert.match(
        (await runHere('analyze', '--fail-on', 'bad', ...SNAPSHOTS)).stderr,
        /oneOff, .*, pendingFrees, incomplete, oom, not/,
      );
    });

    it('applies --fail-on beside bad input, and ends with exit code 2 for bad input alone', async () => {
      const beside = async (verdict: string): Promise<number | null> =>
        (await runHere('analyze', '--fail-on', verdict, ...SNAPSHOTS, file('missing.pickle'))).status;
      assert.deepEqual([await beside('growing'), await beside('cycle')], [1, 2]);
    });
  });

  describe('as built', () => {
    it('equals the run from source, to the byte, with the same exit code', async () => {
      for (const args of [
        ['analyze', '--root', RECORDING, ...SNAPSHOTS],
        ['analyze', '--json', '--fail-on', 'leak', LAST, FIRST],
        ['compare', '--markdown', FIRST, LAST],
        ['analyze', LAST, file('missing.pickle')],
        ['--version'],
      ]) {
        assert.deepEqual(runCli(...args), await runHere(...args), args.join(' '));
      }
    });
  });

  it('prints SARIF, and nothing else', async () => {
    const { status, stdout } = await runHere('analyze', '--sarif', '--root', RECORDING, ...SNAPSHOTS);
    assert.equal(status, 0);
    const log = JSON.parse(stdout) as { version: string; runs: { results: { level: string }[] }[] };
    assert.equal(log.version, '2.1.0');
    assert.ok(log.runs[0].results.length > 0 && log.runs[0].results.every(({ level }) => level === 'error'));
  });

  describe('answers bad input with one sentence and exit code 2:', () => {
    const bad: [title: string, make: () => string, sentence: RegExp][] = [
      ['a missing file', () => file('missing.pickle'), /there is no such file/],
      ['an empty file', () => file('empty.pickle', ''), /is empty/],
      ['a text', () => file('text.pickle', 'hello\n'), /not a memory snapshot/],
      [
        'a truncated file',
        () => {
          const path = file('cut.pickle');
          copyFileSync(LAST, path);
          truncateSync(path, 10_000);
          return path;
        },
        /ends|truncated|still being written/,
      ],
      [
        'a pickle that calls code',
        // protocol 2, GLOBAL os system, STOP
        () => file('evil.pickle', Buffer.concat([Buffer.from([0x80, 2]), Buffer.from('cos\nsystem\n.')])),
        /would run code/,
      ],
      ['a pickle of something else', () => file('other.pickle', Buffer.from([0x80, 4, 0x4b, 1, 0x2e])), /snapshot/],
    ];
    for (const [title, make, sentence] of bad) {
      it(title, async () => {
        const path = make();
        const { status, stdout, stderr } = await runHere('analyze', path);
        assert.deepEqual({ status, stdout }, { status: 2, stdout: '' });
        assert.match(complaint(stderr), sentence);
        assert.ok(stderr.includes(path), 'the sentence names the file');
      });
    }

    it('and still shows the valid inputs', async () => {
      const { status, stdout, stderr } = await runHere('analyze', '--json', LAST, file('missing.pickle'), FIRST);
      assert.equal(status, 2);
      complaint(stderr);
      assert.equal((JSON.parse(stdout) as Report).runs[0].snapshots.length, 2);
    });

    it('one for each bad file', async () => {
      const { status, stderr } = await runHere('analyze', file('missing.pickle'), file('empty.pickle', ''));
      assert.equal(status, 2);
      assert.equal(stderr.trimEnd().split('\n').length, 2);
    });

    it('an unreadable side of a comparison', async () => {
      const { status, stdout, stderr } = await runHere('compare', LAST, file('missing.pickle'));
      assert.deepEqual({ status, stdout }, { status: 2, stdout: '' });
      complaint(stderr);
    });

    it('a folder without snapshots, and files of other kinds are passed over in one with them', async () => {
      mkdirSync(join(folder, 'none'), { recursive: true });
      file('none/notes.txt', '');
      assert.match(complaint((await runHere('analyze', file('none'))).stderr), /holds no snapshot/);
      mkdirSync(join(folder, 'mixed'), { recursive: true });
      file('mixed/labels.pkl', Buffer.concat([Buffer.from([0x80, 2]), Buffer.from('cnumpy\nndarray\n.')]));
      copyFileSync(LAST, file('mixed/a.pickle'));
      file('mixed/b.pkl.gz', gzipSync(readFileSync(FIRST)));
      const { status, stdout, stderr } = await runHere('analyze', '--json', file('mixed'));
      assert.deepEqual({ status, stderr }, { status: 0, stderr: '' });
      const { runs } = JSON.parse(stdout) as Report;
      assert.equal(
        runs.reduce((count, run) => count + run.snapshots.length, 0),
        2,
      );
    });
  });

  describe('answers mistakes in its arguments with what to do:', () => {
    const mistakes: [args: string[], sentence: RegExp][] = [
      [[], /analyze, compare, .* or mcp/],
      [['show', 'x'], /Unknown command 'show'/],
      [['analyze'], /name files/],
      [['compare', 'one'], /two snapshots, not 1/],
      [['analyze', '--jsn', 'x'], /--jsn.*--help/],
      [['analyze', '--root'], /--root.*--help/],
      [['analyze', '--json', '--markdown', 'x'], /one of --json and --markdown/],
      [['analyze', '--json', '--sarif', 'x'], /one of --json and --sarif/],
      [['compare', '--sarif', 'x', 'y'], /--sarif does not work with compare/],
      [['compare', '--budget', '1B', 'x', 'y'], /--budget does not work with compare/],
      [['facts', '--fail-on', 'leak', 'x'], /--fail-on does not work with facts\. See leakline facts --help/],
      [['report', '--cache', 'x', 'x'], /--cache does not work with report/],
      [['analyze', '--budget', 'much', 'x'], /bytes per step, such as 512KiB/],
      [['baseline', 'write', 'x'], /baseline write --root DIR FILES/],
      [['baseline', '--root', '.', 'x'], /baseline write --root DIR FILES/],
      [
        ['analyze', '--fail-on', 'worse', 'x'],
        /--fail-on takes leak, cycle, periodic, .*, pendingFrees, incomplete, oom, not 'worse'/,
      ],
      [['compare', '--fail-on', 'worse,leak', 'x', 'y'], /--fail-on takes worse, .*, not 'leak'/],
      [['analyze', '--map', 'nothing', '--root', '.', 'x'], /FROM=TO/],
      [['analyze', '--map', 'a=b', 'x'], /--map needs --root/],
      [['analyze', '--root', '/no/such/folder', 'x'], /is not a folder/],
    ];
    for (const [args, sentence] of mistakes) {
      it(`leakline ${args.join(' ')}`, async () => {
        const { status, stdout, stderr } = await runHere(...args);
        assert.deepEqual({ status, stdout }, { status: 2, stdout: '' });
        assert.match(complaint(stderr), sentence);
      });
    }
  });

  it('prints its usage and its version', async () => {
    assert.match((await runHere('--help')).stdout, /^Usage:[\s\S]*analyze[\s\S]*compare[\s\S]*Exit code/);
    const { stdout } = await runHere('compare', '-h');
    assert.match(stdout, /^Usage:\n {2}leakline compare[\s\S]*--fail-on WHAT[\s\S]*Exit code/);
    assert.doesNotMatch(stdout, /leakline analyze|--cache|--version/);
    assert.ok(Math.max(...stdout.split('\n').map(({ length }) => length)) <= 120);
    assert.match((await runHere('--version')).stdout, /^\d+\.\d+\.\d+\n$/);
  });

  it('never lets a recorded name act on the terminal', async () => {
    const bytes = snapshotWithFunction('\u001b]0;x\u0007\u009b2J');
    const { status, stdout } = await runHere('analyze', file('escape.pickle', bytes));
    assert.equal(status, 0);
    // eslint-disable-next-line no-control-regex -- these are what must not be there
    assert.doesNotMatch(stdout, /[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/);
    assert.ok(stdout.includes('\\u001b]0;x'), stdout);
    const json = (await runHere('analyze', '--json', file('escape.pickle'))).stdout;
    // eslint-disable-next-line no-control-regex -- as above
    assert.doesNotMatch(json, /[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/);
    assert.ok((JSON.parse(json) as Report).runs[0].lines.some((line) => line.function.includes('\u009b2J')));
  });
});

/** A snapshot of one live block, allocated in a function of that name. */
function snapshotWithFunction(name: string): Uint8Array {
  return new PickleWriter()
    .dict({
      segments: (w) =>
        w.list([
          (segment) =>
            segment.dict({
              device: (v) => v.int(0),
              address: (v) => v.int(4096),
              total_size: (v) => v.int(512),
              segment_type: (v) => v.text('small'),
              stream: (v) => v.int(0),
              blocks: (v) =>
                v.list([
                  (block) =>
                    block.dict({
                      address: (x) => x.int(4096),
                      size: (x) => x.int(512),
                      requested_size: (x) => x.int(512),
                      state: (x) => x.text('active_allocated'),
                      frames: (x) =>
                        x.list([
                          (frame) =>
                            frame.dict({
                              name: (y) => y.text(name),
                              filename: (y) => y.text('/w/train.py'),
                              line: (y) => y.int(3),
                            }),
                        ]),
                    }),
                ]),
            }),
        ]),
      device_traces: (w) => w.list([]),
    })
    .stop();
}
