import assert from 'node:assert/strict';
import { mapPaths, type PathRule } from '../../../src/core/attribution/paths/pathMapping.js';
import { seededRandom } from '../../support/seededRandom.js';
import { mapByBruteForce } from './bruteForceMapping.js';

interface Case {
  title: string;
  workspace: string[];
  rules?: PathRule[];
  /** Recorded file to its workspace file, null for none, or a list where it must stay open. */
  expect: Record<string, string | null | string[]>;
}

const CASES: Case[] = [
  {
    title: 'takes the longest suffix',
    workspace: ['a/pkg/model.py', 'b/model.py', 'model.py'],
    expect: { '/mnt/job/pkg/model.py': 'a/pkg/model.py' },
  },
  {
    title: 'finds the workspace folder itself',
    workspace: ['train.py', 'pkg/model.py'],
    expect: { '/mnt/job/repo/train.py': 'train.py', '/mnt/job/repo/pkg/model.py': 'pkg/model.py' },
  },
  {
    title: 'finds a workspace opened one level above the project',
    workspace: ['repo/train.py', 'repo/pkg/model.py', 'other/train.py'],
    expect: { '/mnt/job/repo/train.py': 'repo/train.py', '/mnt/job/repo/pkg/model.py': 'repo/pkg/model.py' },
  },
  {
    title: 'finds a workspace opened one level below the project',
    workspace: ['model.py', 'heads/box.py'],
    expect: {
      '/mnt/job/repo/pkg/model.py': 'model.py',
      '/mnt/job/repo/pkg/heads/box.py': 'heads/box.py',
      '/mnt/job/repo/train.py': null,
    },
  },
  {
    title: 'finds a project in a renamed folder, by what its other files teach',
    workspace: ['mine/src/train.py', 'mine/src/nets/net.py', 'old/train.py', 'older/train.py'],
    expect: { '/app/train.py': 'mine/src/train.py', '/app/nets/net.py': 'mine/src/nets/net.py' },
  },
  {
    title: 'finds the top of a container',
    workspace: ['train.py', 'nets/net.py'],
    expect: { '/train.py': 'train.py', '/nets/net.py': 'nets/net.py' },
  },
  {
    title: 'maps relative recordings beside absolute ones',
    workspace: ['train.py', 'nets/net.py'],
    expect: { 'train.py': 'train.py', '/app/nets/net.py': 'nets/net.py' },
  },
  {
    title: 'maps Windows paths whatever their case',
    workspace: ['cezo_fl/client.py', 'decomfl_main.py'],
    expect: {
      'C:\\research\\DeComFL\\Cezo_FL\\Client.py': 'cezo_fl/client.py',
      'c:\\Research\\DeComFL\\decomfl_main.py': 'decomfl_main.py',
      'C:/research/DeComFL/decomfl_main.py': 'decomfl_main.py',
    },
  },
  {
    title: 'distinguishes letter case in other paths',
    workspace: ['Model.py', 'train.py'],
    expect: { '/app/train.py': 'train.py', '/app/model.py': null },
  },
  {
    title: 'leaves workspace files open that differ in letter case alone, for Windows paths',
    workspace: ['pkg/Model.py', 'pkg/model.py'],
    expect: { 'C:\\job\\pkg\\MODEL.py': ['pkg/Model.py', 'pkg/model.py'] },
  },
  {
    title: 'does not guess between equal candidates',
    workspace: ['a/train.py', 'b/train.py'],
    expect: { '/mnt/job/train.py': ['a/train.py', 'b/train.py'] },
  },
  {
    title: 'does not guess between equal copies of a project',
    workspace: ['a/train.py', 'a/net.py', 'b/train.py', 'b/net.py'],
    expect: { '/x/train.py': ['a/train.py', 'b/train.py'], '/x/net.py': ['a/net.py', 'b/net.py'] },
  },
  {
    title: 'decides between equal names by the files beside them',
    workspace: ['aux/src/train.py', 'aux/src/model.py', 'resnet/src/train.py', 'warm/src/train.py'],
    expect: { '/home/ml/aux/train.py': 'aux/src/train.py', '/home/ml/aux/model.py': 'aux/src/model.py' },
  },
  {
    title: 'does not apply one project’s folder to its neighbor (workspace above)',
    workspace: ['proj/train.py', 'proj/model.py'],
    expect: {
      '/home/ml/proj/model.py': 'proj/model.py',
      '/home/ml/other/train.py': null,
    },
  },
  {
    title: 'does not apply one project’s folder to its neighbor (workspace is the project)',
    workspace: ['train.py', 'model.py'],
    expect: {
      '/home/ml/proj/train.py': 'train.py',
      '/home/ml/proj/model.py': 'model.py',
      '/home/ml/other/train.py': null,
    },
  },
  {
    title: 'does not take a lone name for a file when its folder is another',
    workspace: ['proj/train.py', 'proj/model.py'],
    expect: { '/home/ml/other/train.py': null, '/home/ml/other/data.py': null, '/home/ml/other/net/x.py': null },
  },
  {
    title: 'leaves one file open that two unrelated folders claim',
    workspace: ['train.py'],
    expect: { '/a/x/train.py': ['train.py'], '/b/y/train.py': ['train.py'] },
  },
  {
    title: 'takes two full copies of the project for the project',
    workspace: ['train.py', 'pkg/model.py'],
    expect: {
      '/home/a/proj/train.py': 'train.py',
      '/home/a/proj/pkg/model.py': 'pkg/model.py',
      '/mnt/ci/proj/train.py': 'train.py',
      '/mnt/ci/proj/pkg/model.py': 'pkg/model.py',
    },
  },
  {
    title: 'does not look elsewhere for a file that a learned folder does not hold',
    workspace: ['pkg/model.py', 'pkg/loss.py', 'tools/helper.py'],
    expect: {
      '/job/repo/pkg/model.py': 'pkg/model.py',
      '/job/repo/pkg/loss.py': 'pkg/loss.py',
      '/job/repo/pkg/helper.py': null,
    },
  },
  {
    title: 'does not take vendored code for the project’s own of the same name',
    workspace: ['train.py', 'models/detector.py', 'models/common.py'],
    expect: {
      '/job/repo/train.py': 'train.py',
      '/job/repo/models/detector.py': 'models/detector.py',
      '/job/repo/third_party/yolo/models/common.py': null,
      '/job/repo/third_party/yolo/models/yolo.py': null,
    },
  },
  {
    title: 'maps two projects that lie elsewhere than their recordings',
    workspace: ['app/train.py', 'app/loop.py', 'mylib/ops.py'],
    expect: {
      '/srv/app/train.py': 'app/train.py',
      '/srv/app/loop.py': 'app/loop.py',
      '/opt/libs/mylib/ops.py': 'mylib/ops.py',
    },
  },
  {
    title: 'never looks for library files, notebook cells and generated code',
    workspace: ['torch/optim/adamw.py', '3049.py', 'contextlib.py', 'mine.py'],
    expect: {
      '/opt/conda/lib/python3.11/site-packages/mine.py': null,
      '/usr/lib/python3.12/contextlib.py': null,
      '/opt/pytorch/torch/optim/adamw.py': null,
      '/tmp/ipykernel_12/3049.py': null,
      '<ipython-input-3-ab>': null,
      '<frozen runpy>': null,
      '<string>': null,
    },
  },
  {
    title: 'obeys the user before all evidence',
    workspace: ['a/train.py', 'b/train.py', 'b/site/mine.py', 'cell.py'],
    rules: [
      { recorded: '/mnt/job', workspace: 'b' },
      { recorded: '/opt/lib/python3.11/site-packages', workspace: 'b/site' },
      { recorded: '/tmp/ipykernel_12/1.py', workspace: 'cell.py' },
    ],
    expect: {
      '/mnt/job/train.py': 'b/train.py',
      '/mnt/job/a/train.py': null,
      '/opt/lib/python3.11/site-packages/mine.py': 'b/site/mine.py',
      '/tmp/ipykernel_12/1.py': 'cell.py',
    },
  },
  {
    title: 'obeys the longest rule, with Windows separators and any case',
    workspace: ['p/train.py', 'q/train.py'],
    rules: [
      { recorded: 'C:\\job', workspace: 'p' },
      { recorded: 'c:/Job/inner', workspace: 'q' },
    ],
    expect: { 'C:\\JOB\\train.py': 'p/train.py', 'c:\\job\\Inner\\train.py': 'q/train.py' },
  },
  {
    title: 'does not mistake a folder for its namesake',
    workspace: ['p/train.py'],
    rules: [{ recorded: '/mnt/job', workspace: 'p' }],
    expect: { '/mnt/job2/train.py': null, '/mnt/job/train.py': 'p/train.py' },
  },
];

describe('Path mapping', () => {
  for (const { title, workspace, rules = [], expect } of CASES) {
    it(title, () => {
      const recorded = Object.keys(expect);
      for (const order of [recorded, [...recorded].reverse()]) {
        for (const files of [workspace, [...workspace].reverse()]) {
          const mapping = mapPaths(order, { files, rules });
          const open = new Map(mapping.ambiguous.map(({ recorded: file, candidates }) => [file, candidates]));
          for (const [file, wanted] of Object.entries(expect)) {
            assert.equal(mapping.lookup(file), typeof wanted === 'string' ? wanted : null, file);
            assert.deepEqual(open.get(file) ?? [], Array.isArray(wanted) ? wanted : [], file);
          }
        }
      }
    });
  }

  it('counts unmapped files, and only the user’s', () => {
    const mapping = mapPaths(
      ['/a/x.py', '<ipython-input-1-a>', '/usr/lib/python3.11/os.py', 'a.cpp', '/a/train.py', '<string>'],
      { files: ['train.py'], rules: [] },
    );
    assert.deepEqual(mapping.unmapped, ['/a/x.py', '<ipython-input-1-a>']);
    assert.equal(mapping.lookup('/never/seen.py'), null);
  });

  it('takes a file of this machine for itself, whatever copies the workspace has', () => {
    const files = ['one/train.py', 'one/old/train.py', 'two/train.py', 'two/nets/moved.py'];
    const recorded = ['/srv/one/train.py', '/srv/one/old/train.py', '/srv/two/moved.py', '/app/train.py'];
    const roots = [
      { prefix: 'one/', folder: '/srv/one' },
      { prefix: 'two/', folder: '/srv/two/' },
    ];
    const mapping = mapPaths(recorded, { files, rules: [], roots });
    const answers = recorded.map((file) => mapping.lookup(file));
    assert.deepEqual(answers, ['one/train.py', 'one/old/train.py', 'two/nets/moved.py', null]);
    assert.deepEqual(
      mapping.ambiguous.map((one) => one.recorded),
      ['/app/train.py'],
    );
    const rules = [{ recorded: '/srv/one', workspace: 'two' }];
    assert.equal(mapPaths(recorded, { files, rules, roots }).lookup('/srv/one/train.py'), 'two/train.py');
  });

  it('returns rules that give the same answers', () => {
    const recorded = ['C:\\job\\repo\\pkg\\a.py', 'C:\\job\\repo\\pkg\\b.py', '/srv/tool/x/y.py', '/srv/tool/z.py'];
    const workspace = ['one/pkg/a.py', 'one/pkg/b.py', 'two/x/y.py', 'two/z.py'];
    const learned = mapPaths(recorded, { files: workspace, rules: [] });
    assert.deepEqual(learned.learned, [
      { recorded: '/srv/tool', workspace: 'two' },
      { recorded: 'C:\\job\\repo', workspace: 'one' },
    ]);
    const ruled = mapPaths(recorded, { files: workspace, rules: learned.learned });
    for (const file of recorded) assert.equal(ruled.lookup(file), learned.lookup(file), file);
    assert.deepEqual(ruled.unmapped, []);
  });

  it('agrees with brute force on random trees', () => {
    let mapped = 0;
    let open = 0;
    let without = 0;
    for (let seed = 1; seed <= 600; seed++) {
      const { recorded, workspace } = randomTrees(seed);
      const mapping = mapPaths(recorded, { files: workspace, rules: [] });
      const wanted = mapByBruteForce(recorded, workspace);
      for (const file of recorded) {
        const answer = wanted.get(file);
        const candidates = mapping.ambiguous.find((entry) => entry.recorded === file)?.candidates ?? [];
        const told = mapping.lookup(file) ?? candidates;
        assert.deepEqual(
          told,
          answer ?? [],
          `seed ${seed}: ${file}\n${JSON.stringify({ recorded, workspace }, null, 1)}`,
        );
        if (typeof answer === 'string') mapped++;
        else if (answer !== undefined) open++;
        else without++;
      }
    }
    // All three ends must be reached for the comparison to mean something.
    for (const count of [mapped, open, without])
      assert.ok(count > 100, `${mapped} mapped, ${open} open, ${without} without`);
  });

  it('recovers a project that was recorded under another root', () => {
    for (let seed = 1; seed <= 200; seed++) {
      const { workspace } = randomTrees(seed);
      const recorded = workspace.map((file) => `/mnt/cluster/job-17/repo/${file}`);
      const mapping = mapPaths(recorded, { files: workspace, rules: [] });
      recorded.forEach((file, i) => {
        assert.equal(mapping.lookup(file), workspace[i], `seed ${seed}: ${file}`);
      });
    }
  });

  it('maps each of 5,000 files to its own of 10,000 that have four names', () => {
    const names = ['model.py', 'train.py', '__init__.py', 'utils.py'];
    const path = (i: number): string => `pkg${i % 97}/part${i % 31}/sub${i}/${names[i % names.length]}`;
    const workspace = Array.from({ length: 10_000 }, (_, i) => path(i));
    const recorded = Array.from({ length: 5_000 }, (_, i) => `/mnt/job/repo/${path(i * 2)}`);
    const mapping = mapPaths(recorded, { files: workspace, rules: [] });
    recorded.forEach((file, i) => {
      assert.equal(mapping.lookup(file), workspace[i * 2]);
    });
  });

  it('maps files beside a path of 50,000 folders and names of the prototype chain', () => {
    const deep = '/' + 'a/'.repeat(50_000) + 'x.py';
    const recorded = [
      deep,
      '/__proto__/x.py',
      '/constructor/x.py',
      ...Array.from({ length: 2_000 }, (_, i) => `/${i}/x.py`),
    ];
    const workspace = [
      'a/'.repeat(50) + 'x.py',
      '__proto__/x.py',
      ...Array.from({ length: 40 }, (_, i) => `w${i}/x.py`),
    ];
    const mapping = mapPaths(recorded, { files: workspace, rules: [] });
    assert.equal(mapping.lookup('/__proto__/x.py'), '__proto__/x.py');
  });
});

/** A small workspace, and recordings that are partly its own under other roots and partly strangers'. */
function randomTrees(seed: number): { recorded: string[]; workspace: string[] } {
  const random = seededRandom(seed);
  const pick = <Item>(items: readonly Item[]): Item => items[random(items.length)];
  const files = ['train.py', 'model.py', 'loss.py', 'data.py', 'x.py', 'y.py'];
  const folders = ['src', 'pkg', 'nets', 'a', 'b'];
  const tree = (count: number): string[] => {
    const paths = new Set<string>();
    for (let i = 0; i < count; i++) {
      const depth = random(4);
      paths.add([...Array.from({ length: depth }, () => pick(folders)), pick(files)].join('/'));
    }
    return [...paths];
  };
  const workspace = tree(1 + random(10));
  const recorded = new Set<string>();
  for (let root = 0; root < 1 + random(3); root++) {
    const base = pick(['/home/ml', '/mnt/job', '/home/ml/proj', '/', '/mnt/job/src', '']);
    const own = workspace.filter(() => random(3) > 0);
    const cut = random(2);
    for (const file of random(2) === 0 ? own : [...own, ...tree(random(5))]) {
      const names = file.split('/').slice(Math.min(cut, file.split('/').length - 1));
      recorded.add(base === '' ? names.join('/') : `${base === '/' ? '' : base}/${names.join('/')}`);
    }
    for (const file of tree(random(4))) recorded.add(`${base === '/' || base === '' ? '' : base}/${file}`);
  }
  return { recorded: [...recorded], workspace };
}
