import assert from 'node:assert/strict';
import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { runCli } from '../support/cli.js';
import { repositoryRoot } from '../support/repository.js';
import { newFolder } from '../support/workspaces.js';
import { uiSession } from './support/fixture.js';

const JOB = join(repositoryRoot(), 'test/fixtures/recordings/two_ranks');

describe('A folder that the tasks of a fleet wrote', () => {
  const ui = uiSession();

  it('opens like a run: ranks, the line that leaks on one of them, and the timeline of a snapshot that is here', async () => {
    const folder = newFolder('run7');
    const dumps = join(newFolder('node'), 'dumps');
    cpSync(join(JOB, 'src'), join(folder, 'src'), { recursive: true });
    cpSync(join(JOB, 'snapshots'), dumps, { recursive: true, preserveTimestamps: true });
    const { status, stderr } = runCli('digest', '--out', join(folder, 'out'), dumps);
    assert.equal(status, 0, stderr);
    rmSync(join(dumps, 'rank1'), { recursive: true });

    const workbench = await ui.open({ folder });
    const { editor, sideBar } = workbench;
    await workbench.runCommand('Leakline: Show Leaks');
    const snapshots = sideBar.tree('Snapshots');
    await snapshots.untilRow(/dumps\/rank0 · rank 0[▁▂▃▄▅▆▇█]{5} 5 snapshots/);
    await snapshots.untilRow(/dumps\/rank1 · rank 1[▁▂▃▄▅▆▇█]{5} 5 snapshots/);
    await snapshots.untilRow(/collect\.py:28 .*grows on rank 0/);
    await sideBar.tree('Leaks').untilRow(/collect\.py:28/);
    await workbench.openFile('src/collect.py');
    await editor.untilLens(28, /Leaks .* rank 0/);

    await snapshots.click(/step_60\.pickle/);
    const timeline = await workbench.timeline();
    assert.ok((await timeline.live()).rows.some(({ place }) => place.includes('collect.py:28')));
    await workbench.picture('fleet');
    await snapshots.toggle(/rank 0/);
    await snapshots.click(/step_60\.pickle/);
    const lost = join(dumps, 'rank1/step_60.pickle');
    await timeline.panel
      .locator('.message', { hasText: `The timeline needs the snapshot itself, which lies at ${lost}.` })
      .waitFor();
    await workbench.picture('fleet-snapshot-elsewhere');
  });
});
