/** The extension under a display language that is not English: marks, views, commands and the timeline speak it. */
import assert from 'node:assert/strict';
import { copyFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { FIXTURES } from '../support/snapshots.js';
import { copyExample } from '../support/workspaces.js';
import { uiSession } from './support/fixture.js';
import type { Workbench } from './workbench/workbench.js';

describe('In German', () => {
  const ui = uiSession({ language: 'de' });
  let workbench: Workbench;

  ui.prepare(async () => {
    const folder = copyExample();
    const another = join(folder, 'another');
    mkdirSync(another);
    copyFileSync(join(FIXTURES, 'shapes/ctx_none.p4.pickle'), join(another, 'ctx_none.pickle'));
    workbench = await ui.open({ folder });
  });

  it('a leak is shown above its line, in its hover and in the view of leaks', async () => {
    await workbench.openFile('detector/pyramid.py');
    await workbench.editor.untilLens(16, /▲ Leck: \d+,\d MiB\/Schritt \(bisher \d,\d GiB\)/);
    await workbench.editor.clickLens(/▲ Leck:/);
    await workbench.sideBar.tree('Lecks').untilRow(/^\d+,\d MiB\/Schritt ?pyramid\.py:18/);
    const hover = await workbench.editor.hover('levels');
    assert.match(hover, /Leck: \d+,\d MiB\/Schritt \(bisher \d,\d GiB\)/);
    assert.match(hover, /Allokationen aus \d+ von \d+ Schritten sind noch belegt\./);
    assert.match(hover, /Gehalten von FeaturePyramid\.visited, pyramid\.py:18/);
    assert.doesNotMatch(hover, /\b(blocks|steps|kept|never|bytes)\b/);
    await workbench.picture('german-leak');
  });

  it('a snapshot’s warning and a problem describe error and remedy in German', async () => {
    const snapshots = workbench.sideBar.tree('Speicherabbilder');
    await snapshots.untilRow(/ctx_none/);
    await snapshots.toggle(/ctx_none/);
    await snapshots.untilRow(/^Die Aufzeichnung enthält keine Stacks \(context=None\), daher lässt sich keine Zeile/);
    const problems = await workbench.showProblems();
    await problems.untilRow(/Leck: .*, gehalten von FeaturePyramid\.visited.*Leakline/);
    await workbench.picture('german-warning');
  });

  it('the timeline is opened by its German name and has German texts', async () => {
    await workbench.runCommand('Leakline: Zeitachse öffnen');
    const timeline = await workbench.webview('[role=application]');
    await timeline.frame.getByText(/Spitze .*: woraus sie besteht/).click();
    await timeline
      .locator('.live .summary', { hasText: /\d,\d+ GiB belegt von \d,\d+ GiB reserviert, gehalten von \d+ Zeilen/ })
      .waitFor();
    await workbench.picture('german-timeline');
  });
});
