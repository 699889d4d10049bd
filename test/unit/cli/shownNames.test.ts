import assert from 'node:assert/strict';
import { join } from 'node:path';
import { withoutHomes } from '../../../src/cli/tasks/shownNames.js';
import { FIXTURES } from '../../support/snapshots.js';
import { exampleFolder } from '../../support/workspaces.js';
import { runHere } from './runHere.js';

const EXAMPLE = exampleFolder();
const SNAPSHOTS = join(EXAMPLE, 'snapshots');

describe('What the command line prints for people', () => {
  for (const output of ['text', 'markdown', 'sarif', 'github']) {
    it(`names inputs below the root without the way there: ${output}`, async () => {
      const options = output === 'text' ? [] : [`--${output}`];
      const { stdout } = await runHere('analyze', ...options, '--root', EXAMPLE, SNAPSHOTS);
      assert.match(stdout, /pyramid\.py/);
      assert.ok(!stdout.includes(EXAMPLE), stdout.slice(0, 400));
      if (output !== 'github') assert.match(stdout, /[\s`"]snapshots\/step_#\.pickle|^snapshots\/step_#\.pickle/);
    });
  }

  it('names both sides of a comparison so', async () => {
    const [a, b] = ['step_0005', 'step_0040'].map((name) => join(SNAPSHOTS, `${name}.pickle`));
    for (const option of [[], ['--markdown']]) {
      const { stdout } = await runHere('compare', ...option, '--root', EXAMPLE, a, b);
      assert.match(stdout, /A: `?snapshots\/step_0005\.pickle/);
      assert.ok(!stdout.includes(EXAMPLE));
    }
  });

  for (const output of ['markdown', 'sarif']) {
    it(`names no user where what lies elsewhere is shared: ${output}`, async () => {
      const snapshots = join(FIXTURES, 'recordings/aux_loss/snapshots');
      const { stdout } = await runHere('analyze', `--${output}`, '--root', EXAMPLE, snapshots);
      assert.doesNotMatch(stdout, /\/home\//);
      assert.match(stdout, /[^/]~\/aux_loss\/|file:\/\/\/~\/aux_loss\/train\.py"/);
    });
  }

  it('recognizes the folders of users on all systems, alone and in texts', () => {
    for (const [whole, shared] of [
      ['/home/jane/a/b.py:3', '~/a/b.py:3'],
      ['`/Users/jane.doe/a.py`', '`~/a.py`'],
      ['at C:\\Users\\Jane\\a.py', 'at ~\\a.py'],
      ['file:///C:/Users/Jane%20D/a.py', 'file:///~/a.py'],
      ['file:///home/jane/a.py', 'file:///~/a.py'],
      ['/root/a.py', '~/a.py'],
    ])
      assert.equal(withoutHomes(whole), shared);
    for (const other of [
      '/data/home/models/a.py',
      '/opt/root/a.py',
      'https://a.org/home/x/y',
      '/home/',
      'src/home/x/y.py',
    ])
      assert.equal(withoutHomes(other), other);
  });

  it('names what lies elsewhere by its whole path, and JSON names everything so', async () => {
    const elsewhere = join(FIXTURES, 'recordings/aux_loss/snapshots/snapshot_0040.pickle');
    const { stdout } = await runHere('analyze', '--json', '--root', EXAMPLE, elsewhere);
    assert.equal((JSON.parse(stdout) as { runs: { id: string }[] }).runs[0].id, elsewhere);
  });
});
