/** The extension under a display language that is not English: marks, views, commands and the timeline speak it. */
import assert from 'node:assert/strict';
import { copyExample } from '../support/workspaces.js';
import { uiSession } from './support/fixture.js';
import type { Workbench } from './workbench/workbench.js';

describe('In German', () => {
  const ui = uiSession('linked', {}, 'de');
  let workbench: Workbench;

  before(async () => {
    workbench = await ui.open({ folder: copyExample() });
  });

  it('a leak stands above its line, in its hover and in the view of leaks', async () => {
    await workbench.openFile('detector/pyramid.py');
    assert.match(
      await workbench.editor.untilLens(16, /verloren/),
      /▲ [\d.]+ [MG]iB verloren · [\d.]+ MiB\/Schritt · \d+ Blöcke/,
    );
    await workbench.editor.clickLens(/verloren/);
    await workbench.sideBar.tree('Lecks').untilRow(/pyramid\.py:16.*MiB\/Schritt/);
    assert.match(await workbench.editor.hover('levels'), /Leck: Es kommen immer neue Blöcke hinzu/);
    await workbench.page.waitForTimeout(500);
    await workbench.screenshot('german-leak');
  });

  it('the timeline is opened by its German name and has German texts', async () => {
    await workbench.runCommand('Leakline: Zeitachse öffnen');
    const timeline = await workbench.webview('[role=application]');
    await timeline.frame.getByText('Genauer ansehen').click();
    await timeline
      .locator('.live .summary', { hasText: /belegt von .* reserviert, gehalten von \d+ Zeilen/ })
      .waitFor();
    await workbench.screenshot('german-timeline');
  });
});
