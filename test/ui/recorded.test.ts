import assert from 'node:assert/strict';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { analyze } from '../support/cli.js';
import { repositoryRoot } from '../support/repository.js';
import { newFolder } from '../support/workspaces.js';
import { uiSession } from './support/fixture.js';
import { describeInFull } from '../support/sample.js';

const planted = join(repositoryRoot(), 'test/fixtures/planted');

/** A training repository beside what the recorder wrote while it ran. */
function withRecording(repository: string, program: string): string {
  cpSync(join(planted, 'recordings', program), join(repository, 'leakline-recordings'), { recursive: true });
  return repository;
}

/** The program of the recording, as it ran. */
function detector(): string {
  const folder = newFolder('detector');
  cpSync(join(planted, 'detector'), folder, { recursive: true });
  return folder;
}

describeInFull('A run that the recorder recorded', () => {
  const ui = uiSession();

  it('says on the leaking line what holds the memory, and in the status bar when it will be full', async () => {
    const folder = withRecording(detector(), 'detector');
    const run = analyze(folder, [join(folder, 'leakline-recordings')]).runs.at(0);
    const leak = run?.lines.find(({ verdict }) => verdict === 'leak');
    assert.equal(leak?.holder?.text, 'FeaturePyramid.visited');
    assert.ok(run?.forecast);
    const workbench = await ui.open({ folder });
    await workbench.openFile('detector/pyramid.py');
    await workbench.editor.untilLens(leak.line, /leaked/);
    await workbench.statusBarItem(/full in [\d,]+ steps/).waitFor();
    const story = await workbench.editor.hover('levels');
    assert.match(story, /FeaturePyramid\.visited/);
    await workbench.page.waitForTimeout(500);
    await workbench.screenshot('held-by');
    await workbench.runCommand('Leakline: Show Leaks');
    await workbench.sideBar.tree('Leaks').untilRow(/pyramid\.py:17 · FeaturePyramid\.visited/);
    await workbench.screenshot('leaks-by-holder');
  });

  it('is a different version once a file that nobody has open is written anew, and has no problem on a line that moved', async () => {
    const folder = withRecording(detector(), 'detector');
    const workbench = await ui.open({ folder });
    await workbench.runCommand('Leakline: Show Leaks');
    const leaks = workbench.sideBar.tree('Leaks');
    await leaks.untilRow(/^[\d.]+ MiB\/step *pyramid\.py:17/);
    const problems = await workbench.showProblems();
    await problems.untilRow(/GPU memory leak/);
    const path = join(folder, 'detector/pyramid.py');
    writeFileSync(path, `import os\nimport sys\n${readFileSync(path, 'utf8')}`);
    await leaks.untilRow(/^[\d.]+ MiB\/step *different version · pyramid\.py:17/);
    await problems.untilNoRow(/GPU memory leak/);
    await workbench.settle();
    await workbench.screenshot('written-while-closed');
  });

  it('names a reference cycle as one', async () => {
    const folder = newFolder('planted');
    cpSync(join(planted, 'leaks'), join(folder, 'leaks'), { recursive: true });
    const workbench = await ui.open({ folder: withRecording(folder, 'search_tree') });
    await workbench.openFile('leaks/search_tree.py');
    await workbench.editor.untilLens(21, /./);
    await workbench.screenshot('cycle');
  });
});
