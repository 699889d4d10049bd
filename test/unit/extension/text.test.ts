import assert from 'node:assert/strict';
import * as v from 'valibot';
import { distinctNames } from '../../../src/extension/text/distinctNames.js';
import { sentenceNaming, sentenceWithout } from '../../../src/extension/text/fileSentence.js';
import { basename, dirname } from '../../../src/core/text/pathText.js';
import { globMatcher, isSkippedFolder } from '../../../src/extension/watch/globPattern.js';
import { recordedFolders, ruleFromChoice } from '../../../src/extension/workspace/recordedFolders.js';
import { timelineHtml } from '../../../src/extension/timeline/timelineHtml.js';
import { TIMELINE_SCHEMAS } from '../../../src/protocol/timelineApi.js';
import type { RunReport } from '../../../src/core/report/report.js';
import { runReport, snapshotReport } from './support/reports.js';
import { newestFirst } from '../../../src/extension/results/runOrder.js';
import { runNames } from '../../../src/extension/results/runText.js';

describe('Paths', () => {
  it('have their last part, whichever system they come from', () => {
    assert.equal(basename('/a/b.py'), 'b.py');
    assert.equal(basename('C:\\a\\b.py'), 'b.py');
    assert.equal(basename('b.py'), 'b.py');
    assert.equal(dirname('/a/b.py'), '/a');
    assert.equal(dirname('b.py'), '');
  });
});

describe('Names of files', () => {
  it('are their last part, and more where two are called the same', () => {
    const files = [
      'train.py',
      'aux/train.py',
      'a/models/net.py',
      'b/models/net.py',
      'C:\\x\\one.py',
      'C:\\y\\one.py',
      'two.py',
    ];
    assert.deepEqual(
      [...distinctNames(new Set(files), basename)].sort(),
      [
        ['train.py', 'train.py'],
        ['aux/train.py', 'aux/train.py'],
        ['a/models/net.py', 'a/models/net.py'],
        ['b/models/net.py', 'b/models/net.py'],
        ['C:\\x\\one.py', 'x/one.py'],
        ['C:\\y\\one.py', 'y/one.py'],
        ['two.py', 'two.py'],
      ].sort(),
    );
  });
});

describe('Globs', () => {
  const matches = (glob: string, path: string): boolean => globMatcher([glob])(path);

  it('match as in the editor settings', () => {
    assert.ok(matches('**/*.pickle', 'a.pickle'));
    assert.ok(matches('**/*.pickle', 'a/b/c.pickle'));
    assert.ok(!matches('**/*.pickle', 'a/b/c.pickle.tmp'));
    assert.ok(matches('runs/*/snap_[0-9]?.{pickle,pkl}', 'runs/x/snap_4a.pkl'));
    assert.ok(!matches('runs/*/snap_[0-9]?.{pickle,pkl}', 'runs/x/y/snap_4a.pkl'));
    assert.ok(!matches('[!a].pkl', 'a.pkl'));
    assert.ok(matches('*.pkl', 'deep/down/x.pkl'));
    assert.ok(matches('data/**', 'data/a/b'));
    assert.ok(!matches('a.c', 'abc'));
  });

  it('match nothing when they make no sense', () => {
    assert.ok(!matches('[z-a]', 'z'));
    assert.ok(!matches('{a', 'a'));
    assert.ok(!matches('/', 'a'));
    assert.ok(!matches('a'.repeat(100_000), 'a'));
  });
});

describe('Folders to map', () => {
  it('offer the deepest folder that holds the files, and those above that hold more', () => {
    const folders = recordedFolders(['/job/repo/models/a.py', '/job/repo/models/b.py', '/job/repo/train.py']);
    assert.deepEqual(folders, [
      { folder: '/job/repo', files: 3 },
      { folder: '/job/repo/models', files: 2 },
    ]);
    assert.deepEqual(recordedFolders(['C:\\job\\train.py']), [{ folder: 'C:\\job', files: 1 }]);
    assert.deepEqual(recordedFolders(['train.py']), []);
  });

  it('turn a choice among files into a rule for their folder', () => {
    assert.deepEqual(ruleFromChoice('/job/repo/models/net.py', 'src/models/net.py'), {
      recorded: '/job/repo',
      workspace: 'src',
    });
    assert.deepEqual(ruleFromChoice('C:\\job\\net.py', 'net.py'), { recorded: 'C:\\job', workspace: '' });
    assert.deepEqual(ruleFromChoice('/job/a.py', 'src/b.py'), { recorded: '/job', workspace: 'src' });
  });
});

describe('What the timeline is told and asks', () => {
  it('is a page that runs its own script only', () => {
    const html = timelineHtml({
      cspSource: 'https://x',
      nonce: 'abc',
      script: 'https://x/webview.js?a="b"',
      style: 'https://x/webview.css',
      language: 'en"><script>',
      title: '<b>',
      texts: { a: '</script><script>', b: '<!--<script>' },
    });
    const policy = /Content-Security-Policy" content="([^"]*)"/.exec(html)?.[1] ?? '';
    assert.match(policy, /^default-src 'none'; script-src 'nonce-abc'; /);
    assert.doesNotMatch(policy, /unsafe|\*/);
    // The texts, which are data, and the program.
    assert.deepEqual(html.match(/<script[^>]*>/g), [
      '<script type="application/json" id="texts">',
      '<script nonce="abc" src="https://x/webview.js?a=&#34;b&#34;">',
    ]);
    const texts = /id="texts">(.*?)<\/script>/.exec(html)?.[1] ?? '';
    assert.deepEqual(JSON.parse(texts), { a: '</script><script>', b: '<!--<script>' });
    assert.match(html, /<meta name="csp-nonce" content="abc" \/>/);
  });

  const fits = (name: keyof typeof TIMELINE_SCHEMAS, params: unknown): boolean => v.is(TIMELINE_SCHEMAS[name], params);

  it('is rejected when it is invalid', () => {
    const query = { path: 'a', device: 0, axis: 'time', window: null, pixels: 800 };
    assert.ok(fits('timeline', query));
    assert.ok(fits('timeline', { ...query, window: { from: 0, to: 1 } }));
    const bad = [
      null,
      { ...query, path: 1 },
      { ...query, device: -2 },
      { ...query, axis: 'x' },
      { ...query, pixels: 1e9 },
      { ...query, pixels: 0.5 },
      { ...query, window: { from: 0, to: Infinity } },
      { ...query, window: 3 },
    ];
    for (const value of bad) assert.ok(!fits('timeline', value), JSON.stringify(value));
    const live = { path: 'a', device: 0, event: -1, by: 'line' };
    assert.ok(fits('liveAt', live));
    for (const wrong of [{ event: -2 }, { event: '1' }, { by: 'file' }])
      assert.ok(!fits('liveAt', { ...live, ...wrong }));
    assert.ok(fits('allocatedIn', { ...query, by: 'stack' }) && !fits('allocatedIn', { ...query, by: 1 }));
    const bands = { ...query, rows: 400, bytes: null, grouping: 'age', line: { file: 'a.py', line: 3 } };
    assert.ok(fits('bands', bands) && fits('bands', { ...bands, line: null }));
    for (const wrong of [
      { rows: 0 },
      { rows: 1e9 },
      { bytes: 5 },
      { bytes: { from: 1 } },
      { grouping: 'color' },
      { line: {} },
      { line: 3 },
    ]) {
      assert.ok(!fits('bands', { ...bands, ...wrong }), JSON.stringify(wrong));
    }
    const detail = { path: 'a', device: 0, grouping: 'line', series: 0, event: -1, row: null };
    assert.ok(fits('bandDetail', detail) && fits('bandDetail', { ...detail, row: 7 }));
    for (const wrong of [{ series: -1 }, { event: 0.5 }, { row: -1 }, { row: '7' }, { grouping: null }]) {
      assert.ok(!fits('bandDetail', { ...detail, ...wrong }), JSON.stringify(wrong));
    }
    assert.ok(fits('openSource', { file: 'a.py', line: 1 }));
    assert.ok(!fits('openSource', { file: 'a.py', line: 0 }));
    assert.ok(!fits('openSource', { file: 'a.py' }));
    assert.ok(fits('ready', {}) && !fits('ready', null));
  });
});

describe('Names of runs', () => {
  const named = (...runs: [string, string, number | null][]): string[] => [
    ...runNames(
      runs.map(([id, path, rank]) => runReport([], { id, rank, snapshots: [snapshotReport({ path })] })),
      (folder) => folder.replace('/w/', ''),
    ).values(),
  ];

  it('are folders and ranks, numbered where that is not enough', () => {
    assert.deepEqual(named(['a', '/w/snaps/1.pickle', null]), ['snaps']);
    assert.deepEqual(named(['a', '/w/r0/1.pickle', 0], ['b', '/w/r1/1.pickle', 1]), ['r0 · rank 0', 'r1 · rank 1']);
    assert.deepEqual(named(['a', '/w/s/1.pickle', null], ['b', '/w/s/2.pickle', null], ['c', '/w/t/1.pickle', null]), [
      's · run 1',
      's · run 2',
      't',
    ]);
  });

  it('say that a run of the recorder follows its training', () => {
    assert.deepEqual(named(['/w/x/x rank0', '/w/x/1.pickle', 0], ['/w/x/x-after-step-40 rank0', '/w/x/2.pickle', 0]), [
      'x',
      'After step 40 · x',
    ]);
  });

  it('begin further out where folders of two places are called the same', () => {
    const names = runNames(
      [
        ['a', '/home/x/detector/snaps/1.pickle'],
        ['b', '/mnt/old/detector/snaps/1.pickle'],
        ['c', '/mnt/old/detector/snaps/2.pickle'],
        ['d', '/mnt/old/tracker/snaps/1.pickle'],
      ].map(([id, path]) => runReport([], { id, snapshots: [snapshotReport({ path })] })),
      (folder) => folder.split('/').slice(-2).join('/'),
    );
    assert.deepEqual(
      [...names.values()],
      ['x/detector/snaps', 'old/detector/snaps · run 1', 'old/detector/snaps · run 2', 'tracker/snaps'],
    );
  });
});

describe('A list of runs', () => {
  const run = (id: string, rank: number | null, ...times: (number | null)[]): RunReport =>
    runReport([], {
      id,
      job: id.replace(/_rank\d+$/, ''),
      rank,
      snapshots: times.map((takenAtUs) => snapshotReport({ takenAtUs })),
    });

  it('begins with the one that dumped last, with all its ranks; those without a time come last, the higher name first', () => {
    const runs = [
      run('a_rank0', 0, 100, 500),
      run('a_rank1', 1, 100, 900),
      run('b', null, 600),
      run('c', null, 1000, null),
      run('run_2', null, null),
      run('run_10', null, null),
    ];
    const order = ['c', 'a_rank0', 'a_rank1', 'b', 'run_10', 'run_2'];
    assert.deepEqual(
      newestFirst(runs).map(({ id }) => id),
      order,
    );
    assert.deepEqual(
      newestFirst(runs.toReversed()).map(({ id }) => id),
      order,
    );
  });
});

describe('Folders that are left out', () => {
  it('are those of tools and libraries, not those that a repository may call its own', () => {
    for (const folder of ['node_modules', 'a/.git', 'x/venv/lib/python3.11/site-packages', '__pycache__']) {
      assert.ok(isSkippedFolder(folder), folder);
    }
    for (const folder of ['env', 'envs', 'a/git', 'packages', 'snapshots', 'runs']) {
      assert.ok(!isSkippedFolder(folder), folder);
    }
  });
});

describe('A sentence about a file', () => {
  const path = '/home/jane/runs/mem.pickle';

  it('begins with its name in each message, and leaves it out in a row that has it', () => {
    assert.equal(sentenceNaming(path, `${path} is empty.`), 'mem.pickle is empty.');
    assert.equal(sentenceNaming(path, 'It is truncated.'), 'mem.pickle: It is truncated.');
    assert.equal(sentenceNaming(path, `${path}.gz is empty.`), `mem.pickle: ${path}.gz is empty.`);
    assert.equal(sentenceWithout(path, `${path} is empty.`), 'is empty.');
    assert.equal(sentenceWithout(path, 'It is truncated.'), 'It is truncated.');
  });
});
