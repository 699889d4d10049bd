import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { TrainingRun } from '../support/trainingRun.js';
import { newFolder, writeFiles } from '../support/workspaces.js';
import { uiSession } from './support/fixture.js';

const MiB = 1024 * 1024;
const SMALL = 4096;
const LARGE = 300 * MiB;
/** So many small allocations stay; the large one is freed by the next event. */
const SMALL_BEFORE = 1201;
const SMALL_IN_ALL = 2000;

describe('A peak of a single event', () => {
  const ui = uiSession();

  it('is found, told to the byte, zoomed to, and leads to its line', async () => {
    const folder = newFolder('peak');
    const lines = 'pass\n'.repeat(12);
    writeFiles(folder, { 'train.py': lines, 'eval.py': lines });
    writeFileSync(join(folder, 'peak_step_1.pickle'), planted());
    const workbench = await ui.open({ folder });
    await workbench.runCommand('Leakline: Open Timeline');
    const timeline = await workbench.timeline();

    await timeline.lookIntoPeak();
    const { rows, totalBytes } = await timeline.live();
    assert.deepEqual(
      rows.map(({ place, bytes, blocks }) => ({ place, bytes, blocks })),
      [
        { place: 'eval.py:7', bytes: LARGE, blocks: 1 },
        { place: 'train.py:10', bytes: SMALL_BEFORE * SMALL, blocks: SMALL_BEFORE },
      ],
    );
    assert.equal(totalBytes, LARGE + SMALL_BEFORE * SMALL);

    await timeline.plot.focus();
    for (let i = 0; i < 16; i++) await workbench.page.keyboard.press('+');
    await workbench.page.keyboard.press('Alt+ArrowDown');
    await timeline.panel.locator('.readout', { hasText: /eval\.py:7[^]*300 MiB, one allocation/ }).waitFor();
    await workbench.page.keyboard.press('Enter');
    const title = timeline.panel.locator('.selection', { hasText: 'eval.py:7' }).locator('h2');
    assert.equal(await title.getAttribute('title'), `${LARGE.toLocaleString('en')} bytes`);
    await workbench.screenshot('peak');
    await workbench.page.keyboard.press('Enter');
    await workbench.editor.untilActive('eval.py');
    await workbench.editor.untilCursorAt(7);
  });
});

function planted(): Uint8Array {
  const run = new TrainingRun();
  const at = (filename: string, line: number) => [{ filename, line, name: 'step' }];
  for (let i = 1; i <= SMALL_IN_ALL; i++) {
    run.allocate(SMALL, at('/job/train.py', 10));
    if (i === SMALL_BEFORE) run.free(run.allocate(LARGE, at('/job/eval.py', 7)));
  }
  return run.dump();
}
