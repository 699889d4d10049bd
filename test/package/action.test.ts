/** The GitHub Action: the steps of action.yml, run as a runner runs them, against a server that keeps comments. */
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text as textOf } from 'node:stream/consumers';
import type { SarifLog } from '../../src/core/render/renderSarif.js';
import { builtProgram, repositoryRoot } from '../support/repository.js';
import { FIXTURES } from '../support/snapshots.js';
import { packed } from './packed.js';

const action = repositoryRoot();
const yaml = readFileSync(join(action, 'action.yml'), 'utf8');
const REPOSITORY = 'team/training';

interface Comment {
  id: number;
  body: string;
  user: { login: string };
}

/** Comments of pull request 7, as GitHub keeps them. */
class Comments {
  readonly kept: Comment[] = [];
  mayWrite = true;
  requests = 0;
  private readonly server: Server = createServer((request, response) => {
    void textOf(request).then((sent) => {
      this.requests++;
      const [status, answer] = this.answer(request.method ?? '', request.url ?? '', sent);
      response.writeHead(request.headers.authorization === 'Bearer secret' ? status : 401).end(JSON.stringify(answer));
    });
  });

  async start(): Promise<string> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  stop(): void {
    this.server.close();
  }

  add(body: string, login: string): Comment {
    const comment = { id: this.kept.length + 1, body, user: { login } };
    this.kept.push(comment);
    return comment;
  }

  private answer(method: string, url: string, sent: string): [status: number, answer: unknown] {
    const { pathname, searchParams } = new URL(url, 'http://server');
    const issues = `/repos/${REPOSITORY}/issues`;
    if (method === 'GET' && pathname === `${issues}/7/comments`) {
      const [size, page] = ['per_page', 'page'].map((name) => Number(searchParams.get(name)));
      return [200, this.kept.slice(size * (page - 1), size * page)];
    }
    if (!this.mayWrite) return [403, { message: 'Resource not accessible by integration' }];
    const { body } = JSON.parse(sent) as { body: string };
    if (method === 'POST' && pathname === `${issues}/7/comments`) return [201, this.add(body, 'github-actions[bot]')];
    const own = this.kept.find(({ id }) => pathname === `${issues}/comments/${id}`);
    if (method !== 'PATCH' || own === undefined) return [404, {}];
    own.body = body;
    return [200, own];
  }
}

/** Steps of the action that run a script, with their environment as written. */
const steps = yaml
  .split(/^ {4}- /m)
  .slice(1)
  .map((step) => ({
    id: /^ *id: (.+)$/m.exec(step)?.[1] ?? '',
    run: /^ *run: (.+)$/m.exec(step)?.[1] ?? null,
    env: [...step.matchAll(/^ {8}([A-Z_]+): \$\{\{ ([\w.-]+) \}\}$/gm)].map(([, name, from]) => [name, from] as const),
  }));
const defaults = [...yaml.matchAll(/^ {2}([\w-]+):\n {4}description: .+\n {4}default: (.+)$/gm)].map(
  ([, name, value]) => [`inputs.${name}`, value === "''" ? '' : value.replaceAll("'", '')],
);

describe('The GitHub Action', () => {
  let folder: string;
  let comments: Comments;
  let api: string;

  /** A commit without settings: the base of each pull request here. */
  let baseCommit: string;
  const git = (...args: string[]): string => {
    const author = ['-c', 'user.name=a', '-c', 'user.email=a@example.com'];
    return execFileSync('git', [...author, ...args], { cwd: join(folder, 'head'), stdio: 'pipe', encoding: 'utf8' });
  };

  /** Two branches of the example, each recorded: the head fills a list that the base does not have. */
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'leakline-action-'));
    const head = join(folder, 'head');
    cpSync(join(repositoryRoot(), 'examples/detector'), join(head, 'training'), { recursive: true });
    rmSync(join(head, 'training/snapshots'), { recursive: true });
    const pyramid = join(head, 'training/detector/pyramid.py');
    const leaking = readFileSync(pyramid, 'utf8');
    const clean = leaking.replace(/ {8}for level in levels:\n.*\n/, '');
    assert.notEqual(clean, leaking);
    const commit = (text: string, branch: string): void => {
      git('checkout', '-q', '-b', branch);
      writeFileSync(pyramid, text);
      cpSync(join(FIXTURES, 'branches', branch), join(head, 'snapshots'), { recursive: true });
      git('add', '.');
      git('commit', '-q', '-m', branch);
    };
    git('init', '-q');
    commit(clean, 'base');
    commit(`# Levels are drawn after the run.\n# Until then they are kept.\n${leaking}`, 'head');
    git('worktree', 'add', '-q', join(folder, 'base'), 'base');
    baseCommit = git('rev-parse', 'base').trim();
  });
  beforeEach(async () => {
    comments = new Comments();
    api = await comments.start();
  });
  afterEach(() => {
    comments.stop();
  });
  after(() => {
    rmSync(folder, { recursive: true });
  });

  /** Runs the steps in the checked-out head. @returns the log, the summary, and the exit code of the last step */
  async function job(
    inputs: Record<string, string>,
    { from = REPOSITORY, path = process.env['PATH'] }: { from?: string; path?: string } = {},
  ): Promise<{ log: string; summary: string; status: number; result: string; sarif: SarifLog | null }> {
    const temporary = mkdtempSync(join(folder, 'job-'));
    const file = (name: string, content = ''): string => {
      writeFileSync(join(temporary, name), content);
      return join(temporary, name);
    };
    const pull = { number: 7, base: { sha: baseCommit }, head: { repo: { full_name: from } } };
    const event = { pull_request: pull };
    const summary = file('summary');
    const output = file('output');
    const github = {
      RUNNER_TEMP: temporary,
      GITHUB_ACTION_PATH: action,
      GITHUB_API_URL: api,
      GITHUB_EVENT_PATH: file('event.json', JSON.stringify(event)),
      GITHUB_OUTPUT: output,
      GITHUB_REPOSITORY: REPOSITORY,
      GITHUB_RUN_ID: '12',
      GITHUB_SERVER_URL: 'https://github.com',
      GITHUB_STEP_SUMMARY: summary,
      GITHUB_WORKSPACE: join(folder, 'head'),
    };
    const known = new Map<string, string>([
      ...(defaults as [string, string][]),
      ['inputs.leakline', builtProgram('cli.js')],
      ...Object.entries({ root: 'training', head: 'snapshots', ...inputs }).map(
        ([name, value]) => [`inputs.${name}`, value] as const,
      ),
      ['github.token', 'secret'],
    ]);
    let log = '';
    let status = 0;
    for (const { id, run, env } of steps) {
      if (run === null || status !== 0) continue;
      const own = env.map(([name, at]) => [name, known.get(at) ?? assert.fail(at)]);
      const step = spawn('bash', ['--noprofile', '--norc', '-e', '-o', 'pipefail', '-c', run], {
        cwd: github.GITHUB_WORKSPACE,
        env: { PATH: path, HOME: temporary, ...github, ...(Object.fromEntries(own) as object) },
      });
      const told = Promise.all([textOf(step.stdout), textOf(step.stderr)]);
      status = await new Promise((resolve) => step.on('close', resolve));
      log += (await told).join('');
      for (const [, name, value] of readFileSync(output, 'utf8').matchAll(/^(\w+)=(.*)$/gm))
        known.set(`steps.${id}.outputs.${name}`, value);
    }
    const written = known.get('steps.gate.outputs.sarif') ?? '';
    return {
      log,
      summary: readFileSync(summary, 'utf8'),
      status,
      result: known.get('steps.gate.outputs.result') ?? '',
      sarif: written === '' ? null : (JSON.parse(readFileSync(written, 'utf8')) as SarifLog),
    };
  }

  it('fails a head that leaks where the base did not, in log, summary, comment and SARIF', async () => {
    const { log, summary, status, sarif } = await job({ base: join(folder, 'base/snapshots') });
    assert.equal(status, 1, log);
    assert.match(
      log,
      /^::error file=training\/detector\/pyramid\.py,line=20,title=GPU memory leak::Leaks 396 KiB\/step .+, held by FeaturePyramid\.visited\. /m,
    );
    assert.match(
      summary,
      /^\*\*Leakline: failed\.\*\*\n\n## Is the leak gone\?\n\n\*\*Worse: 0 B per step before, [\d.]+ KiB now\.\*\*/,
    );
    assert.match(summary, /^## GPU memory of /m);
    const [comment, ...others] = comments.kept;
    assert.deepEqual(others, []);
    assert.ok(comment.body.startsWith(`<!-- leakline training -->\n${summary}`));
    assert.ok(comment.body.includes(`(https://github.com/${REPOSITORY}/actions/runs/12)`));
    const [result] = sarif?.runs[0].results ?? [];
    assert.equal(result.locations[0].physicalLocation.artifactLocation.uri, 'training/detector/pyramid.py');
  });

  it('passes a head that does not leak, and updates the same comment', async () => {
    for (let i = 0; i < 100; i++) comments.add('first page', 'someone');
    for (const login of ['someone', 'other[bot]']) comments.add('<!-- leakline training -->\nnot mine', login);
    comments.add('<!-- leakline training -->\n**Leakline: failed.**', 'github-actions[bot]');
    const base = join(folder, 'base/snapshots');
    const { status, summary } = await job({ head: base, base });
    assert.equal(status, 0);
    assert.match(summary, /^\*\*Leakline: passed\.\*\*/);
    const [comment, ...others] = comments.kept.slice(102);
    assert.deepEqual(others, []);
    assert.ok(comment.body.includes('**Leakline: passed.**'));
    for (const { body } of comments.kept.slice(100, 102)) assert.equal(body, '<!-- leakline training -->\nnot mine');
    await job({ root: '.' });
    assert.equal(comments.kept.length, 104, 'another root has a comment of its own');
  });

  it('judges a head alone, by verdicts and budget', async () => {
    assert.equal((await job({ 'fail-on': 'cycle' })).status, 0);
    const { status, log, summary } = await job({ 'fail-on': 'cycle', budget: '1KiB' });
    assert.equal(status, 1);
    assert.match(log, /^leakline: detector\/pyramid\.py:20 leaks 396 KiB\/step; the budget is 1\.0 KiB\/step\.$/m);
    assert.match(summary, /^## Over budget$/m);
    const missing = await job({ head: 'missing' });
    assert.equal(missing.status, 2);
    assert.match(missing.summary, /Leakline: no result\. The log has the reason\./);
    assert.match(missing.log, /leakline: missing cannot be read/);
  });

  it('writes the summary alone for a fork, and where it must not comment', async () => {
    const fork = await job({}, { from: 'stranger/training' });
    assert.deepEqual([fork.status, comments.requests], [1, 0]);
    assert.match(fork.log, /A fork: the report is in the summary/);
    assert.match(fork.summary, /Leaks /);
    comments.mayWrite = false;
    const refused = await job({});
    assert.equal(refused.status, 1);
    assert.match(refused.log, /^::warning title=Leakline::No comment: POST \/repos\/.* answered 403\. The report is/m);
  });

  it('never runs an input as shell, and takes no input for an option', async () => {
    const root = '$(touch pwned); `touch pwned` "; touch pwned; #';
    const { status } = await job({ head: '--version', root, 'fail-on': '$(touch pwned)' });
    assert.equal(status, 2);
    assert.throws(() => readFileSync(join(folder, 'head/pwned')));
    assert.equal(/run: .*\$\{\{/.test(yaml), false, 'an expression in a script');
    assert.equal(yaml.includes('pull_request_target'), false);
  });

  it('never passes over memory that ran out, whatever the comparison says', async () => {
    const base = join(folder, 'base/snapshots');
    const head = join(folder, 'ran_out');
    cpSync(base, head, { recursive: true });
    cpSync(join(FIXTURES, 'shapes/multidevice_oom.pickle'), join(head, 'oom.pickle'));
    for (const inputs of [{ head }, { head, base }, { head, base, 'fail-on': 'cannotTell' }]) {
      const { status, result, summary, log } = await job(inputs);
      assert.deepEqual([status, result], [1, 'failed'], log);
      assert.match(summary, /^\*\*Leakline: failed\.\*\*/);
      assert.match(log, /oom\.pickle: memory ran out/);
    }
  });

  it('has no result where nothing can be judged', async () => {
    const head = join(folder, 'short');
    cpSync(join(FIXTURES, 'fixes/short'), head, { recursive: true });
    for (const inputs of [{ head }, { head, base: head }]) {
      const { status, result, summary } = await job(inputs);
      assert.deepEqual([status, result], [2, 'none']);
      assert.match(summary, /^\*\*Leakline: no result\. The log has the reason\.\*\*/);
    }
  });

  it('takes baseline and budget from the base, so a pull request cannot loosen its own check', async () => {
    const settings = join(folder, 'head/training/.leakline.json');
    const allowing = '{"budget": {"leakBytesPerStep": "1 GiB"}}';
    const strict = '{"budget": {"leakBytesPerStep": "1 KiB"}}';
    const judged = { 'fail-on': 'cycle' };
    writeFileSync(settings, strict);
    assert.equal((await job(judged)).status, 0, 'the base has no budget');
    assert.equal(readFileSync(settings, 'utf8'), strict, 'it is put back');
    const ownBaseline = ['baseline', 'write', '--root', join(folder, 'head/training'), join(folder, 'head/snapshots')];
    execFileSync(process.execPath, [builtProgram('cli.js'), ...ownBaseline, '--fail-on', 'leak,growing']);
    assert.equal((await job({})).status, 1, 'a baseline of the pull request');
    writeFileSync(settings, strict);
    git('add', '-f', settings);
    git('commit', '-q', '-m', 'budget');
    const without = baseCommit;
    try {
      baseCommit = git('rev-parse', 'HEAD').trim();
      writeFileSync(settings, allowing);
      const { status, log } = await job(judged);
      assert.equal(status, 1);
      assert.match(log, /the budget is 1\.0 KiB\/step/);
      rmSync(settings);
      symlinkSync(join(folder, 'target.json'), settings);
      writeFileSync(join(folder, 'target.json'), allowing);
      assert.equal((await job(judged)).status, 1, 'a link in its place');
      assert.equal(readFileSync(join(folder, 'target.json'), 'utf8'), allowing);
      assert.equal(readlinkSync(settings), join(folder, 'target.json'));
      baseCommit = '0'.repeat(40);
      const unknown = await job(judged);
      assert.deepEqual([unknown.status, unknown.result], [2, 'none']);
      assert.match(unknown.log, /^::error title=Leakline::The baseline and budget of the base 0+ cannot be read\. /m);
    } finally {
      baseCommit = without;
      git('reset', '-q', '--hard', 'HEAD~1');
    }
  });

  it('runs a tarball of the npm package, and names a program that is not there', async () => {
    const { status, log } = await job({ leakline: packed(/\.tgz$/) });
    assert.equal(status, 1, log);
    assert.match(log, /Leaks 396 KiB\/step/);
    const missing = await job({ leakline: 'tools/leakline.tgz' });
    assert.equal(missing.status, 2);
    assert.match(missing.log, /^::error title=Leakline::The input leakline names no file: 'tools\/leakline\.tgz'\. /m);
  });

  it('names a command of the system that is missing', async () => {
    const path = join(folder, 'bin');
    mkdirSync(path);
    for (const name of ['bash', 'node', 'git'])
      symlinkSync(execFileSync('which', [name], { encoding: 'utf8' }).trim(), join(path, name));
    const unpacked = await job({ leakline: packed(/\.tgz$/) }, { path });
    assert.match(
      unpacked.log,
      /^::error title=Leakline::tar is missing, which unpacks .*\. Install it in this job\.$/m,
    );
    rmSync(join(path, 'git'));
    const unread = await job({}, { path });
    assert.match(
      unread.log,
      /^::error title=Leakline::git is missing, which reads the baseline and budget of the base\. /m,
    );
    assert.deepEqual([unpacked.result, unread.result], ['none', 'none']);
  });

  it('is pinned, as its example is, and gives each job of that the permissions that it needs', () => {
    const example =
      /```yaml\n([\s\S]*?)```/.exec(readFileSync(join(repositoryRoot(), 'docs/ci.md'), 'utf8'))?.[1] ?? '';
    for (const [text, atLeast] of [
      [yaml, 2],
      [example, 5],
    ] as const) {
      const used = [...text.matchAll(/uses: (\S+)@(\S+)/g)].filter(([, name]) => name !== 'leakline/leakline');
      assert.ok(used.length >= atLeast);
      for (const [line, , at] of used) assert.match(at, /^[0-9a-f]{40}$/, line);
    }
    const [, record, report] = example.split(/^ {2}(?:record|report):$/m);
    assert.match(record, /permissions:\n {6}contents: read\n {4}\w/);
    assert.match(
      report,
      /permissions:\n {6}contents: read\n {6}pull-requests: write.*\n {6}security-events: write.*\n {4}\w/,
    );
    assert.match(example, /^permissions: \{\}$/m);
    assert.doesNotMatch(record, /uses: leakline\/leakline/);
    const given = [...(report.split('uses: leakline/leakline@')[1] ?? '').matchAll(/^ {10}([\w-]+):/gm)].map(
      ([, name]) => name,
    );
    const known = [...yaml.matchAll(/^ {2}([\w-]+):$/gm)].map(([, name]) => name);
    assert.ok(given.length >= 3 && given.every((name) => known.includes(name)), given.join());
    for (const input of ['leakline', 'head']) assert.ok(given.includes(input), input);
  });

  it('runs all of its steps here but those of other actions', () => {
    assert.equal(steps.filter(({ run }) => run === null).length, 2);
    assert.ok(yaml.includes('actions/setup-node@') && yaml.includes('upload-sarif@'));
  });
});
