import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { eventually } from '../support/eventually.js';
import { copyExample } from '../support/workspaces.js';
import { uiSession } from './support/fixture.js';

describe('The keyboard alone', () => {
  const ui = uiSession();

  it('leads from the palette to the leak, to its silence, to nothing at all and back', async () => {
    const folder = copyExample();
    const workbench = await ui.open({ folder });
    const { editor, sideBar, page } = workbench;
    await workbench.statusBarItem(/\/(step|snapshot)/).waitFor();
    await workbench.runCommand('Leakline: Go to Next Leaking Line');
    await editor.untilActive('detector/pyramid.py');
    await editor.untilLens(16, /▲ Leaks/);
    const problems = await workbench.showProblems();
    await problems.untilRow(/Leaks 35\.8 MiB\/step .*held by FeaturePyramid\.visited.*Leakline.*leak/);
    await workbench.screenshot('problems');
    await workbench.openFile('detector/pyramid.py', 16);
    await editor.openFixes('Ignore this leak');
    await workbench.screenshot('quick-fix');
    await editor.takeFix('Ignore this leak');
    await eventually(async () => {
      assert.ok(existsSync(join(folder, '.leakline.json')), 'nothing is written');
      assert.deepEqual(await editor.lenses(), []);
      assert.deepEqual(await editor.gutterLines(/gutter(?:%2F|\/)/), []);
    });
    await workbench.runCommand('Leakline: Show Leaks');
    await sideBar.tree('Leaks').untilRow(/^[\d.]+ MiB\/step ?ignored · pyramid\.py:18/);
    await workbench.settle();
    await workbench.screenshot('ignored');
    await workbench.runCommand('Leakline: Clear Results');
    const welcome = page.locator('.welcome-view-content');
    await eventually(async () => {
      const texts = await welcome.allInnerTexts();
      assert.equal(texts.filter((text) => text.includes('The results were cleared.')).length, 2, texts.join('\n'));
    });
    await workbench.screenshot('cleared');
    await workbench.runCommand('Leakline: Read Snapshots Again');
    await sideBar.tree('Leaks').untilRow(/^[\d.]+ MiB\/step ?ignored · pyramid\.py:18/);
  });
});
