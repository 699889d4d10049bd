import assert from 'node:assert/strict';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { analyze } from '../support/cli.js';
import { repositoryRoot } from '../support/repository.js';
import { newFolder } from '../support/workspaces.js';
import { uiSession } from './support/fixture.js';
import type { Workbench } from './workbench/workbench.js';

const planted = join(repositoryRoot(), 'test/fixtures/planted');

describe('Runs that the recorder recorded', () => {
  const ui = uiSession();
  let folder: string;
  let workbench: Workbench;

  ui.prepare(async () => {
    folder = newFolder('detector');
    cpSync(join(planted, 'detector'), folder, { recursive: true });
    cpSync(join(planted, 'leaks/search_tree.py'), join(folder, 'leaks/search_tree.py'));
    for (const program of ['detector', 'search_tree'])
      cpSync(join(planted, 'recordings', program), join(folder, 'leakline-recordings', program), { recursive: true });
    workbench = await ui.open({ folder });
  });

  it('name the holder on the leaking line, and in the status bar the steps until the device is full', async () => {
    const run = analyze(folder, [join(folder, 'leakline-recordings/detector')]).runs.at(0);
    const leak = run?.lines.find(({ verdict }) => verdict === 'leak');
    assert.equal(leak?.holder?.text, 'FeaturePyramid.visited');
    assert.ok(run?.forecast);
    await workbench.openFile('detector/pyramid.py');
    await workbench.editor.untilLens(leak.line, /▲ Leaks/);
    await workbench.statusBarItem(/full in [\d,]+ steps/).waitFor();
    const story = await workbench.editor.hover('levels');
    assert.match(story, /FeaturePyramid\.visited/);
    await workbench.picture('held-by');
    await workbench.runCommand('Leakline: Show Leaks');
    await workbench.sideBar.tree('Leaks').untilRow(/pyramid\.py:17 · FeaturePyramid\.visited/);
    await workbench.picture('leaks-by-holder');
  });

  it('name a reference cycle as one', async () => {
    await workbench.openFile('leaks/search_tree.py');
    await workbench.editor.untilLens(21, /^↻ Reference cycle holds up to [\d.]+ MiB$/);
    await workbench.picture('cycle');
  });

  it('are of a different version once a closed file is written again, and have no problem on a line that moved', async () => {
    await workbench.runCommand('View: Close All Editors');
    await workbench.runCommand('Leakline: Show Leaks');
    const leaks = workbench.sideBar.tree('Leaks');
    await leaks.untilRow(/^[\d.]+ MiB\/step *pyramid\.py:17/);
    const problems = await workbench.showProblems();
    await problems.untilRow(/Leaks .*so far/);
    const path = join(folder, 'detector/pyramid.py');
    writeFileSync(path, `import os\nimport sys\n${readFileSync(path, 'utf8')}`);
    await leaks.untilRow(/^[\d.]+ MiB\/step *different version · pyramid\.py:17/);
    await problems.untilNoRow(/Leaks .*so far/);
    await workbench.picture('written-while-closed');
  });
});
