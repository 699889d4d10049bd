import assert from 'node:assert/strict';
import { join } from 'node:path';
import type { LineReport } from '../../src/core/report/report.js';
import { analyze, leakingLines, snapshotsIn } from '../support/cli.js';
import { eventually } from '../support/eventually.js';
import { assertShows } from '../support/shownBytes.js';
import { copyExample, exampleFolder } from '../support/workspaces.js';
import { uiSession } from './support/fixture.js';
import type { Workbench } from './workbench/workbench.js';

const guiltyFile = 'detector/pyramid.py';

describe('A leak in the editor', () => {
  const ui = uiSession();
  let guilty: LineReport;

  before(() => {
    const leaks = leakingLines(analyze(exampleFolder(), snapshotsIn(join(exampleFolder(), 'snapshots'))));
    const line = leaks.find(({ file }) => file === guiltyFile);
    assert.ok(line !== undefined, 'the example does not leak');
    guilty = line;
  });

  async function openGuiltyFile(): Promise<Workbench> {
    const workbench = await ui.open({ folder: copyExample() });
    await workbench.openFile(guiltyFile);
    await workbench.editor.untilLens(guilty.line, /leaked/);
    return workbench;
  }

  it('stands above the line that leaks, in bytes, and above no other', async () => {
    const { editor } = await openGuiltyFile();
    assertShows(await editor.untilLens(guilty.line, /leaked/), guilty.leakedBytes);
    assert.deepEqual([...new Set((await editor.lenses()).map(({ line }) => line))], [guilty.line]);
  });

  it('leads by a click to its stacks, and from a frame to the caller', async () => {
    const workbench = await openGuiltyFile();
    await workbench.screenshot('lens');
    await workbench.editor.clickLens(/leaked/);
    const leaks = workbench.sideBar.tree('Leaks');
    const row = await leaks.untilRow(new RegExp(`pyramid\\.py:${guilty.line}`));
    assert.equal(row.level, 1);
    await leaks.untilRow(/train\.py:\d+|pyramid\.py/);
    await workbench.screenshot('leaks-tree');
  });

  it('tells its story in a hover', async () => {
    const workbench = await openGuiltyFile();
    const story = await workbench.editor.hover('levels');
    assertShows(story, guilty.leakedBytes);
    assert.match(story, /Leak/);
    await workbench.screenshot('hover');
  });

  it('is found from anywhere with the keyboard', async () => {
    const workbench = await ui.open({ folder: copyExample() });
    await workbench.openFile('detector/backbone.py');
    await workbench.statusBarItem(/step|snapshot/).waitFor();
    await workbench.runCommand('Leakline: Go to Next Leaking Line');
    await workbench.editor.untilActive(guiltyFile);
    await eventually(async () => {
      assert.equal(await workbench.editor.cursorLine(), guilty.line);
    });
  });
});
