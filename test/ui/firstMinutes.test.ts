/** The first minutes: a folder of snapshots without code, a folder without any, and the tour. */
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventually } from '../support/eventually.js';
import { TrainingRun } from '../support/trainingRun.js';
import { copyExample, newFolder, writeFiles } from '../support/workspaces.js';
import { uiSession } from './support/fixture.js';
import { Workbench } from './workbench/workbench.js';

const KIB = 2 ** 10;
const GIB = 2 ** 30;

/** A snapshot of one allocation in a folder of its own, so that it is a run of its own. */
function writeSnapshot(folder: string, run: string, bytes: number): void {
  const training = new TrainingRun();
  training.allocate(bytes, [{ filename: `/jobs/${run}/train.py`, line: 7, name: 'main' }]);
  training.allocate(512, [{ filename: `/jobs/${run}/train.py`, line: 8, name: 'main' }]);
  mkdirSync(join(folder, run));
  writeFileSync(join(folder, run, 'memory.pickle'), training.dump());
}

describe('The first minutes', () => {
  const ui = uiSession();

  it('a folder of snapshots without code opens its highest peak in an editor tab, with what holds it', async () => {
    const folder = newFolder();
    writeSnapshot(folder, 'large', 51 * GIB);
    writeSnapshot(folder, 'tiny', 8 * KIB);
    const workbench = await ui.open({ folder });
    await workbench.runCommand('Leakline: Show Leaks');
    await workbench.sideBar.tree('Snapshots').untilRows(/memory\.pickle.* live/, 2);
    const [first] = await workbench.sideBar.tree('Leaks').rows();
    assert.match(first.text, /peak 51\.0 GiB/);
    await workbench.runCommand('Leakline: Open Timeline');
    const timeline = await workbench.timeline();
    await timeline.panel.frame.getByText('Peak 51.0 GiB: what holds it').waitFor();
    const { rows } = await timeline.live();
    assert.match(rows[0].place, /large\/train\.py:7/);
    assert.equal(rows[0].bytes, 51 * GIB);
    await workbench.page.locator('.part.editor .tab.active', { hasText: 'GPU Memory Timeline' }).waitFor();
    await workbench.picture('first-peak');
  });

  it('a folder without snapshots offers to record, to insert code and to open the example', async () => {
    const folder = newFolder();
    writeFiles(folder, { 'train.py': 'import torch\n\nfor step in range(9):\n    print(step)\n' });
    const workbench = await ui.open({ folder });
    await workbench.openFile('train.py', 4);
    await workbench.runCommand('Leakline: Show Leaks');
    const view = workbench.page.locator('.welcome-view-content');
    const press = (name: string): Promise<void> => view.getByRole('button', { name }).first().click();
    await view.getByRole('button', { name: 'Run Python File with Recording' }).waitFor();
    await workbench.picture('empty-view');
    await press('Insert Recording Code');
    await workbench.notifications.toast('Inserted: a snapshot every 50 steps').waitFor();
    const opened = workbench.page.context().waitForEvent('page');
    await press('Open Example');
    const example = new Workbench(await opened, undefined);
    await example.ready();
    await example.statusBarItem(/Leakline/).waitFor();
    await eventually(async () => {
      assert.match(await example.statusBarItem(/Leakline/).innerText(), /35\.8 MiB\/step/);
    });
    await example.page.close();
  });
});

describe('The first minutes on the example', () => {
  const ui = uiSession();
  let workbench: Workbench;

  ui.prepare(async () => {
    workbench = await ui.open({ folder: copyExample() });
    await workbench.runCommand('Leakline: Show Leaks');
    await workbench.sideBar.tree('Leaks').untilRow(/pyramid/);
  });

  it('the keys for the next and the previous leak go to the line', async () => {
    for (const key of ['ControlOrMeta+F8', 'ControlOrMeta+Shift+F8']) {
      await workbench.openFile('train.py', 1);
      await workbench.page.keyboard.press(key);
      await workbench.editor.untilActive('detector/pyramid.py');
    }
  });

  it('a snapshot that is dragged onto the editor opens as its timeline', async () => {
    await workbench.openFile('train.py', 1);
    await workbench.page.keyboard.press('ControlOrMeta+Shift+E');
    const explorer = workbench.page.locator('.explorer-folders-view');
    await explorer.getByText('snapshots', { exact: true }).click();
    await explorer.getByText('step_0010.pickle').hover();
    const { mouse } = workbench.page;
    await mouse.down();
    // VS Code follows a drag by its moves: one leads onto the editor, the next into its middle.
    const area = await workbench.page.locator('.editor-group-container').first().boundingBox();
    assert.ok(area !== null);
    for (const share of [0.4, 0.5])
      await mouse.move(area.x + area.width * share, area.y + area.height * share, { steps: 10 });
    await workbench.page.locator('.editor-group-overlay-indicator').waitFor();
    await mouse.up();
    const timeline = await workbench.timeline();
    await timeline.panel.frame.getByText(/At the end of the recording: 344 MiB live/).waitFor();
  });

  it('the tour has a button in each step, and each leads on', async () => {
    const { page } = workbench;
    const steps = page.locator('.gettingStartedContainer .getting-started-step');
    const tour = async (): Promise<void> => {
      await workbench.runCommand('Welcome: Open Walkthrough...');
      await workbench.quickInput.fill('Find a GPU memory leak');
      await workbench.quickInput.accept('Find a GPU memory leak');
      await steps.first().waitFor();
    };
    await tour();
    assert.equal(await steps.count(), 4);
    const ways = ['Run Python File with Recording', 'Open Snapshot…', 'Open Example'];
    await steps.nth(0).locator('.step-title').click();
    assert.deepEqual(
      (await steps.nth(0).locator('.monaco-button').allInnerTexts()).map((text) => text.trim()),
      ways,
    );
    for (const [at, title, button, shown] of [
      [1, 'Go from the leak to its cause', 'Show Leaks', '.pane-header[aria-label^="Leaks"]'],
      [2, 'Click a peak, open the line', 'Open Timeline', '.part.panel'],
      [3, 'Check that the fix worked', 'Compare Snapshots…', '.quick-input-widget'],
    ] as const) {
      await tour();
      const step = steps.nth(at);
      await step.locator('.step-title', { hasText: title }).click();
      await step.locator('.monaco-button', { hasText: button }).click();
      await page.locator(shown).first().waitFor();
      await workbench.picture(`tour-${at}`);
      await page.keyboard.press('Escape');
      await tour();
      await steps.nth(at).locator('.codicon.complete').waitFor();
    }
  });
});
