import assert from 'node:assert/strict';
import { join } from 'node:path';
import type { LineReport } from '../../src/core/report/report.js';
import { analyze, leakingLines, snapshotsIn } from '../support/cli.js';
import { eventually } from '../support/eventually.js';
import { assertLeaked } from '../support/shownBytes.js';
import { copyExample, exampleFolder } from '../support/workspaces.js';
import { uiSession } from './support/fixture.js';
import type { Workbench } from './workbench/workbench.js';

const guiltyFile = 'detector/pyramid.py';

describe('A leak in the editor', () => {
  const ui = uiSession();
  let guilty: LineReport;
  let workbench: Workbench;

  ui.prepare(async () => {
    const leaks = leakingLines(analyze(exampleFolder(), snapshotsIn(join(exampleFolder(), 'snapshots'))));
    const line = leaks.find(({ file }) => file === guiltyFile);
    assert.ok(line !== undefined, 'the example does not leak');
    guilty = line;
    workbench = await ui.open({ folder: copyExample() });
  });

  beforeEach(async () => {
    await workbench.openFile(guiltyFile);
    await workbench.editor.untilLens(guilty.line, /▲ Leaks/);
  });

  it('stands above the line that leaks, in bytes, above the one that holds it, and above no other', async () => {
    const { editor } = workbench;
    assertLeaked(await editor.untilLens(guilty.line, /▲ Leaks/), guilty.leakedBytes);
    // Lenses vanish for a moment while VS Code draws them anew.
    await eventually(async () => {
      const lenses = (await editor.lenses()).map(({ line, text }) => `${line} ${text}`);
      assert.deepEqual([...new Set(lenses.map((lens) => Number.parseInt(lens)))], [guilty.line, guilty.holder?.line]);
      assert.match(lenses.join('\n'), new RegExp(`^${guilty.holder?.line} ◆ Leaks [\\d.]+ MiB/step .*so far\\)$`, 'm'));
    });
    await workbench.screenshot('lens');
  });

  it('leads by a click to its stacks', async () => {
    await workbench.editor.clickLens(/▲ Leaks/);
    const leaks = workbench.sideBar.tree('Leaks');
    const row = await leaks.untilRow(new RegExp(`pyramid\\.py:${guilty.line}`));
    assert.equal(row.level, 2, 'below the statement that holds what it allocates');
    const stack = await leaks.untilRow(/<listcomp> \(pyramid\.py:16\)/);
    assert.equal(stack.level, 3);
    await workbench.screenshot('leaks-tree');
  });

  it('tells its story in a hover', async () => {
    const story = await workbench.editor.hover('levels');
    assertLeaked(story, guilty.leakedBytes);
    assert.match(story, /^Leaks [\d.]+ MiB\/step/, 'the answer comes first');
    assert.equal(story.split('MiB/step').length, 2, 'once');
    assert.equal(story.split('pyramid.py:18').length, 2, 'the statement that holds it is named once');
    // On the statement that holds, the problem says the answer.
    const held = await workbench.editor.hover('visited.append');
    assert.match(held, /^Leaks [\d.]+ MiB\/step \([\d.]+ GiB so far\), held by FeaturePyramid\.visited/);
    for (const once of ['MiB/step', 'FeaturePyramid.visited', 'pyramid.py(16, 1)']) {
      assert.equal(held.split(once).length, once === 'FeaturePyramid.visited' ? 3 : 2, `${once} in ${held}`);
    }
    await workbench.page.waitForTimeout(500);
    await workbench.screenshot('hover');
  });

  it('has a sign in the margin, the statement that holds it one of another shape, and no other line any', async () => {
    await eventually(async () => {
      assert.deepEqual(await workbench.editor.gutterLines(/gutter(?:%2F|\/)leak-/), [guilty.line]);
      assert.deepEqual(await workbench.editor.gutterLines(/gutter(?:%2F|\/)holder-/), [guilty.holder?.line]);
    });
    await workbench.settle();
    await workbench.screenshot('gutter');
  });

  it('leaves the margin to a breakpoint, and takes it again', async () => {
    const { editor } = workbench;
    await workbench.openFile(guiltyFile, guilty.line);
    await workbench.runCommand('Debug: Toggle Breakpoint');
    await eventually(async () => {
      assert.deepEqual(await editor.breakpointLines(), [guilty.line]);
      assert.deepEqual(await editor.gutterLines(/gutter(?:%2F|\/)(?!holder-)/), []);
    });
    await workbench.screenshot('gutter-breakpoint');
    await workbench.runCommand('Debug: Toggle Breakpoint');
    await eventually(async () => {
      assert.deepEqual(await editor.breakpointLines(), []);
      assert.deepEqual(await editor.gutterLines(/gutter(?:%2F|\/)leak-/), [guilty.line]);
    });
  });

  it('is found from anywhere with the keyboard', async () => {
    await workbench.openFile('detector/backbone.py');
    await workbench.statusBarItem(/\/(step|snapshot)/).waitFor();
    await workbench.runCommand('Leakline: Go to Next Leaking Line');
    await workbench.editor.untilActive(guiltyFile);
    await workbench.editor.untilCursorAt(guilty.holder?.line ?? 0);
  });
});
