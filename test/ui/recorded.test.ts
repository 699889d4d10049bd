import assert from 'node:assert/strict';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { analyze } from '../support/cli.js';
import { repositoryRoot } from '../support/repository.js';
import { copyExample, newFolder } from '../support/workspaces.js';
import { uiSession } from './support/fixture.js';

const planted = join(repositoryRoot(), 'test/fixtures/planted');

/** A training repository beside what the recorder wrote while it ran. */
function withRecording(repository: string, program: string): string {
  cpSync(join(planted, 'recordings', program), join(repository, 'leakline-recordings'), { recursive: true });
  return repository;
}

describe('A run that the recorder recorded', () => {
  const ui = uiSession();

  it('says on the leaking line who keeps the memory, and in the status bar when it will be full', async () => {
    const folder = withRecording(copyExample({ untilStep: 0 }), 'detector');
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
    await workbench.screenshot('kept-by');
    await workbench.runCommand('Leakline: Show Leaks');
    await workbench.runCommand('Leakline: List Leaks by Who Keeps Them');
    await workbench.sideBar.tree('Leaks').untilRow(/FeaturePyramid\.visited.*pyramid\.py:17/);
    await workbench.screenshot('leaks-by-holder');
  });

  it('is of another version once a file that nobody has open is written anew, and has no problem on a line that moved', async () => {
    const folder = withRecording(copyExample({ untilStep: 0 }), 'detector');
    const workbench = await ui.open({ folder });
    await workbench.runCommand('Leakline: Show Leaks');
    const leaks = workbench.sideBar.tree('Leaks');
    await leaks.untilRow(/pyramid\.py:16 *[\d.]+ MiB leaked/);
    const problems = await workbench.showProblems();
    await problems.untilRow(/leaked by this line/);
    const path = join(folder, 'detector/pyramid.py');
    writeFileSync(path, `import os\nimport sys\n${readFileSync(path, 'utf8')}`);
    await leaks.untilRow(/pyramid\.py:16 *of another version · [\d.]+ MiB leaked/);
    await problems.untilNoRow(/leaked by this line/);
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
