import assert from 'node:assert/strict';
import { newFolder, writeFiles } from '../support/workspaces.js';
import { uiSession } from './support/fixture.js';
import type { Workbench } from './workbench/workbench.js';

/** What a button of the walkthrough opens: an editor, a view, or a question. */
const BUTTONS: readonly [step: number, button: string, seen: string | RegExp][] = [
  [0, 'Run Python File with Recording', 'Open the folder of the training code first.'],
  [0, 'Open Snapshot…', /^Open Snapshot$/],
  [1, 'Show Leaks', /^No GPU memory snapshot in this workspace\.$/],
  [2, 'Open Timeline', /^GPU Memory$/],
  [3, 'Compare Snapshots…', /^Compare Snapshots \(1\/2\)$/],
];

describe('The first minutes', () => {
  const ui = uiSession();
  let workbench: Workbench;

  ui.prepare(async () => {
    const folder = newFolder('training');
    writeFiles(folder, { 'notes.txt': 'nothing here yet' });
    workbench = await ui.open({ folder });
  });

  it('lead from the empty view to the walkthrough', async () => {
    await workbench.runCommand('Leakline: Show Leaks');
    const view = workbench.page.locator('.part.sidebar');
    await view.getByText('No GPU memory snapshot in this workspace.').first().waitFor();
    await workbench.settle();
    await workbench.screenshot('first-empty');
    await view.getByText('How it works').click();
    await workbench.page.locator('.getting-started-step').first().waitFor();
    await workbench.settle();
    await workbench.screenshot('first-walkthrough');
  });

  for (const [step, button, seen] of BUTTONS) {
    it(`have a button of the walkthrough that opens something, and no error: ${button}`, async () => {
      const { page, notifications } = workbench;
      await page.locator('.tab', { hasText: 'Welcome' }).first().click();
      await page.locator('.getting-started-step').nth(step).click();
      await page.locator('.getting-started-step').getByText(button, { exact: true }).click();
      await page.getByText(seen).first().waitFor();
      assert.equal(
        await page.locator('.notification-toast .codicon-error').count(),
        0,
        String(await notifications.texts()),
      );
      await page.keyboard.press('Escape');
    });
  }
});
