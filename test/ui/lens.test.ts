import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
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
  let folder: string;
  let workbench: Workbench;

  ui.prepare(async () => {
    const leaks = leakingLines(analyze(exampleFolder(), snapshotsIn(join(exampleFolder(), 'snapshots'))));
    const line = leaks.find(({ file }) => file === guiltyFile);
    assert.ok(line !== undefined, 'the example does not leak');
    guilty = line;
    folder = copyExample();
    workbench = await ui.open({ folder });
  });

  beforeEach(async () => {
    await workbench.openFile(guiltyFile);
    await workbench.editor.untilLens(guilty.line, /▲ Leaks/);
  });

  it('is above the leaking line, in bytes, and above its holder, and above no other line', async () => {
    const { editor } = workbench;
    await editor.untilLeaked(guilty.line, guilty.leakedBytes);
    // Lenses vanish for a moment while VS Code draws them again.
    await eventually(async () => {
      const lenses = (await editor.lenses()).map(({ line, text }) => `${line} ${text}`);
      assert.deepEqual([...new Set(lenses.map((lens) => Number.parseInt(lens)))], [guilty.line, guilty.holder?.line]);
      assert.match(lenses.join('\n'), new RegExp(`^${guilty.holder?.line} ◆ Leaks [\\d.]+ MiB/step .*so far\\)$`, 'm'));
    });
    await workbench.picture('lens');
  });

  it('leads by a click to its stacks', async () => {
    await workbench.editor.clickLens(/▲ Leaks/);
    const leaks = workbench.sideBar.tree('Leaks');
    const row = await leaks.untilRow(new RegExp(`pyramid\\.py:${guilty.line}`));
    assert.equal(row.level, 2, 'below the statement that holds what it allocates');
    const stack = await leaks.untilRow(/<listcomp> \(pyramid\.py:16\)/);
    assert.equal(stack.level, 3);
    await workbench.picture('leaks-tree');
  });

  it('shows the evidence in a hover', async () => {
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
    await workbench.picture('hover');
  });

  it('has a sign in the margin, the statement that holds it one of another shape, and no other line any', async () => {
    await eventually(async () => {
      assert.deepEqual(await workbench.editor.gutterLines(/gutter(?:%2F|\/)leak-/), [guilty.line]);
      assert.deepEqual(await workbench.editor.gutterLines(/gutter(?:%2F|\/)holder-/), [guilty.holder?.line]);
    });
    await workbench.picture('gutter');
  });

  it('leaves the margin to a breakpoint, and takes it again', async () => {
    const { editor } = workbench;
    await workbench.openFile(guiltyFile, guilty.line);
    await workbench.runCommand('Debug: Toggle Breakpoint');
    await eventually(async () => {
      assert.deepEqual(await editor.breakpointLines(), [guilty.line]);
      assert.deepEqual(await editor.gutterLines(/gutter(?:%2F|\/)(?!holder-)/), []);
    });
    await workbench.picture('gutter-breakpoint');
    await workbench.runCommand('Debug: Toggle Breakpoint');
    await eventually(async () => {
      assert.deepEqual(await editor.breakpointLines(), []);
      assert.deepEqual(await editor.gutterLines(/gutter(?:%2F|\/)leak-/), [guilty.line]);
    });
  });

  it('is reached, silenced, cleared and read again with the keyboard alone', async () => {
    const { editor, sideBar, page } = workbench;
    await workbench.openFile('detector/backbone.py');
    await workbench.statusBarItem(/\/(step|snapshot)/).waitFor();
    await workbench.runCommand('Leakline: Go to Next Leaking Line');
    await editor.untilActive(guiltyFile);
    await editor.untilCursorAt(guilty.holder?.line ?? 0);
    const problems = await workbench.showProblems();
    await problems.untilRow(/Leaks 35\.8 MiB\/step .*held by FeaturePyramid\.visited.*Leakline.*leak/);
    await workbench.picture('problems');
    await workbench.openFile(guiltyFile, guilty.line);
    await editor.openFixes('Ignore this leak');
    await workbench.picture('quick-fix');
    await editor.takeFix('Ignore this leak');
    await eventually(async () => {
      assert.ok(existsSync(join(folder, '.leakline.json')), 'nothing is written');
      assert.deepEqual(await editor.lenses(), []);
      assert.deepEqual(await editor.gutterLines(/gutter(?:%2F|\/)/), []);
    });
    await workbench.runCommand('Leakline: Show Leaks');
    const ignored = /^[\d.]+ MiB\/step ?ignored · pyramid\.py:18/;
    await sideBar.tree('Leaks').untilRow(ignored);
    await workbench.statusBarItem(/no new leak/).waitFor();
    await workbench.picture('ignored');
    await workbench.runCommand('Leakline: Clear Results');
    const welcome = page.locator('.welcome-view-content');
    await eventually(async () => {
      const texts = await welcome.allInnerTexts();
      assert.equal(texts.filter((text) => text.includes('The results were cleared.')).length, 2, texts.join('\n'));
    });
    await workbench.picture('cleared');
    await workbench.runCommand('Leakline: Read Snapshots Again');
    await sideBar.tree('Leaks').untilRow(ignored);
  });
});
