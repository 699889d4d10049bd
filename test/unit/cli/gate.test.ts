/** Reasons to stop a pull request: an exceeded budget, and leaks outside of the baseline. */
import assert from 'node:assert/strict';
import { execFile, execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { SarifLog } from '../../../src/core/render/renderSarif.js';
import type { Report } from '../../../src/core/report/report.js';
import { runCli } from '../../support/cli.js';
import { FIXTURES, picklesUnder } from '../../support/snapshots.js';
import { runHere } from './runHere.js';

const RECORDING = join(FIXTURES, 'recordings/aux_loss');

describe('The command line in CI', () => {
  let root: string;
  /** The snapshots are read once for all tests. */
  let cache: string;
  const snapshots = join(RECORDING, 'snapshots');
  const settings = (): string => join(root, '.leakline.json');
  const analyze = (...args: string[]): ReturnType<typeof runHere> =>
    runHere('analyze', '--cache', cache, '--root', root, ...args, snapshots);
  before(() => {
    cache = mkdtempSync(join(tmpdir(), 'leakline-gate-'));
  });
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'leakline-gate-'));
    cpSync(join(RECORDING, 'src'), join(root, 'src'), { recursive: true });
  });
  afterEach(() => {
    rmSync(root, { recursive: true });
  });
  after(() => {
    rmSync(cache, { recursive: true });
  });

  it('lets old leaks pass, and no new one', async () => {
    writeFileSync(settings(), '{"note": "ours"}');
    assert.equal((await analyze('--fail-on', 'leak')).status, 1);
    const written = await runHere('baseline', 'write', '--root', root, snapshots);
    assert.deepEqual({ status: written.status, stderr: written.stderr }, { status: 0, stderr: '' });
    const file = JSON.parse(readFileSync(settings(), 'utf8')) as { note: string; baseline: { statement: string }[] };
    assert.equal(file.note, 'ours');
    assert.ok(file.baseline.length > 1 && file.baseline.every(({ statement }) => statement.length > 0));
    assert.equal(written.stdout, `${settings()}: ${file.baseline.length} lines in the baseline.\n`);

    const { status, stdout } = await analyze('--fail-on', 'leak');
    assert.equal(status, 0);
    assert.match(stdout, new RegExp(`: No new leak\\. ${file.baseline.length} lines are in the baseline\\.`));
    assert.match(stdout, /^ +baseline /m);
    assert.equal((await analyze('--github')).stdout, '');

    writeFileSync(settings(), JSON.stringify({ ...file, baseline: file.baseline.slice(1) }));
    assert.equal((await analyze('--fail-on', 'leak')).status, 1);
    assert.match(
      (await analyze('--github')).stdout,
      /^::error file=src\/\w+\.py,line=\d+,title=GPU memory leak::Leaks /,
    );
    const states = async (): Promise<(string | undefined)[]> =>
      (JSON.parse((await analyze('--sarif')).stdout) as SarifLog).runs[0].results.map((one) => one.baselineState);
    assert.deepEqual(await states(), ['new'], 'what is held at the same statement is one finding');
    writeFileSync(settings(), JSON.stringify(file));
    assert.deepEqual(await states(), ['unchanged']);
  });

  it('writes a baseline without ignored lines, with other verdicts on request, and without unmapped files', async () => {
    const leaks = async (...args: string[]): Promise<string[]> => {
      const { stdout } = await runHere('baseline', 'write', '--root', root, ...args, snapshots);
      const { baseline } = JSON.parse(readFileSync(settings(), 'utf8')) as { baseline: { statement: string }[] };
      return [...baseline.map(({ statement }) => statement), ...stdout.split('\n').slice(1, -1)];
    };
    const all = await leaks();
    const { baseline } = JSON.parse(readFileSync(settings(), 'utf8')) as { baseline: object[] };
    writeFileSync(settings(), JSON.stringify({ ignoredLeaks: baseline.slice(0, 1) }));
    assert.deepEqual(await leaks(), all.slice(1));
    assert.deepEqual(await leaks(), all.slice(1), 'again');
    assert.deepEqual(await leaks('--fail-on', 'cycle'), []);
    rmSync(join(root, 'src'), { recursive: true });
    const [said] = await leaks('--fail-on', 'leak,growing');
    assert.match(said, /^Left out: \d+ lines of files that were not found below the root\.$/);
  });

  it('ends with exit code 1 and a sentence if the budget is exceeded', async () => {
    const { runs } = JSON.parse((await analyze('--json')).stdout) as Report;
    const leaks = runs[0].lines.filter(({ verdict }) => verdict === 'leak');
    const rate = Math.round(leaks.reduce((sum, { bytesPerStep }) => sum + (bytesPerStep ?? 0), 0));
    const allow = (leakBytesPerStep: number | string): void => {
      writeFileSync(settings(), JSON.stringify({ budget: { leakBytesPerStep } }));
    };
    allow(rate);
    assert.equal((await analyze()).status, 0);
    assert.equal((await analyze('--budget', `${rate - 1}B`)).status, 1);
    allow('0 B');
    const { status, stderr } = await analyze();
    assert.equal(status, 1);
    assert.match(stderr, /^leakline: src\/\w+\.py:\d+.* leaks? [\d.]+ \w+\/step; the budget is 0 B\/step\.\n$/);
    const sentence = stderr.slice('leakline: '.length).trimEnd();
    assert.match((await analyze('--markdown')).stdout, /^## Over budget\n\n- `/);
    assert.deepEqual(
      (JSON.parse((await analyze('--json')).stdout) as Report).overBudget.map(({ message }) => message),
      [sentence],
    );
    assert.ok((await analyze('--github')).stdout.includes(`,title=GPU memory over budget::${sentence}\n`));
    assert.equal((await analyze('--budget', `${rate}B`)).status, 0, 'an option is stronger than the file');
    allow('much');
    const unread = await analyze();
    assert.equal(unread.status, 2);
    assert.match(
      unread.stderr,
      /\.leakline\.json cannot be read and has no effect: "budget\.leakBytesPerStep" is not a size/,
    );
  });

  it('checks the same of digests', async () => {
    const out = join(root, 'out');
    assert.equal((await runHere('digest', '--out', out, snapshots)).status, 0);
    const report = (...args: string[]): ReturnType<typeof runHere> => runHere('report', '--root', root, ...args, out);
    const { status, stderr } = await report('--budget', '0B');
    assert.deepEqual([status, stderr], [1, (await analyze('--budget', '0B')).stderr]);
    await runHere('baseline', 'write', '--root', root, out);
    assert.equal((await report('--budget', '0B', '--fail-on', 'leak')).status, 0);
  });

  it('writes a report into a file that is whole or not there', async () => {
    const file = join(root, 'report');
    for (const format of ['--json', '--sarif', '--markdown', '--github', '--all']) {
      const { stdout } = await analyze(format);
      writeFileSync(file, 'old, and longer than what comes'.repeat(10_000));
      assert.deepEqual(await analyze(format, '--out', file), { status: 0, stdout: '', stderr: '' });
      assert.equal(readFileSync(file, 'utf8'), stdout, format);
    }
    const sides = [join(FIXTURES, 'fixes/leak'), join(FIXTURES, 'fixes/gone')];
    assert.equal((await runHere('compare', '--out', file, ...sides)).stdout, '');
    assert.equal(readFileSync(file, 'utf8'), (await runHere('compare', ...sides)).stdout);
    // Nothing to report on: what is there stays.
    assert.equal((await runHere('analyze', '--out', file, join(root, 'missing.pickle'))).status, 2);
    assert.match(readFileSync(file, 'utf8'), /^The leak is gone/);
    const nowhere = await analyze('--out', join(root, 'missing/report'));
    assert.equal(nowhere.status, 2);
    assert.match(nowhere.stderr, /^leakline: --out cannot write .*missing\/report: .*ENOENT.* Name a file/);
    const folder = await analyze('--out', root);
    assert.match(folder.stderr, /^leakline: --out cannot write .*: it is a folder\. Name a file\.\n$/);
    const [input] = picklesUnder(snapshots);
    const own = await runHere('analyze', '--out', input, input);
    assert.match(own.stderr, /^leakline: --out cannot write .*: it is an input\. Name another file\.\n$/);
    assert.deepEqual(readdirSync(root).sort(), ['report', 'src']);
  });

  it('writes a report into a pipe as it comes, and keeps the pipe', async function () {
    if (process.platform === 'win32') this.skip();
    const pipe = join(root, 'pipe');
    execFileSync('mkfifo', [pipe]);
    const read = promisify(execFile)('cat', [pipe]);
    assert.deepEqual(await analyze('--json', '--out', pipe), { status: 0, stdout: '', stderr: '' });
    assert.equal((await read).stdout, (await analyze('--json')).stdout);
    assert.ok(statSync(pipe).isFIFO());
  });

  it('writes it as built, too', () => {
    const file = join(root, 'report');
    const run = runCli('analyze', '--json', '--out', file, '--root', root, snapshots);
    assert.deepEqual(run, { status: 0, stdout: '', stderr: '' });
    assert.ok(existsSync(file));
    assert.deepEqual(readdirSync(root).sort(), ['report', 'src']);
  });

  it('names files as the repository does that GitHub Actions checked out', async () => {
    const { GITHUB_WORKSPACE } = process.env;
    try {
      process.env['GITHUB_WORKSPACE'] = join(root, '..');
      const { stdout } = await analyze('--github');
      assert.ok(stdout.startsWith(`::error file=${root.split(/[/\\]/).pop() ?? ''}/src/`), stdout);
      process.env['GITHUB_WORKSPACE'] = join(root, 'src');
      assert.match((await analyze('--github')).stdout, /^::error file=src\//);
    } finally {
      if (GITHUB_WORKSPACE === undefined) delete process.env['GITHUB_WORKSPACE'];
      else process.env['GITHUB_WORKSPACE'] = GITHUB_WORKSPACE;
    }
  });
});
