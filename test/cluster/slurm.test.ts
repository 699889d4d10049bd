import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { builtProgram, repositoryRoot } from '../support/repository.js';
import { filesIn, FOLDER, leakline } from './fleet.js';
import { OneNode, whyNoSlurm } from './oneNode.js';

describe('Slurm', () => {
  let folder = '';
  let slurm: OneNode | null = null;
  const at = (name: string): string => join(folder, name);
  const digest = (out: string): string[] => [
    process.execPath,
    builtProgram('cli.js'),
    'digest',
    '--out',
    at(out),
    FOLDER,
  ];

  before(async function () {
    const reason = whyNoSlurm();
    if (reason !== null) {
      console.log(`    skipped: ${reason}`);
      this.skip();
    }
    folder = mkdtempSync(join(tmpdir(), 'leakline-slurm-'));
    slurm = new OneNode(at('slurm'));
    await slurm.start();
    leakline('digest', '--out', at('one'), FOLDER);
  });
  after(() => {
    slurm?.stop();
    if (folder !== '') rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  });

  it('runs one shard per task of srun', () => {
    assert.ok(slurm !== null);
    slurm.run('srun', '-n2', ...digest('srun'));
    assert.deepEqual(filesIn(at('srun/digests')), filesIn(at('one/digests')));
  });

  it('runs an array by the recipe, one element of which is requeued while it runs, and reports behind it', async () => {
    assert.ok(slurm !== null);
    const node = slurm;
    const recipe = join(repositoryRoot(), 'examples/cluster/slurm.sh');
    const environment = [
      `LEAKLINE=${process.execPath} ${builtProgram('cli.js')}`,
      `DUMPS=${FOLDER}`,
      `OUT=${at('array')}`,
    ];
    const submit = (...args: string[]): string =>
      node
        .run('sbatch', '--parsable', '-o', at('log-%A_%a'), `--export=${['PATH', ...environment].join(',')}`, ...args)
        .trim();
    const job = submit('--array=0-3', recipe);
    const report = submit(
      `--dependency=afterany:${job}`,
      '-o',
      at('report.txt'),
      recipe.replace('slurm.sh', 'slurm-report.sh'),
    );
    try {
      node.run('scontrol', 'requeue', `${job}_1`);
    } catch {
      // It has ended already: the next test has the same end.
    }
    await node.ended(job);
    await node.ended(report);
    assert.deepEqual(filesIn(at('array/digests')), filesIn(at('one/digests')));
    assert.match(readFileSync(at('report.txt'), 'utf8'), /grows on rank 0 .* on rank 1\./);
  });
});
