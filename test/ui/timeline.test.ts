import assert from 'node:assert/strict';
import { join } from 'node:path';
import type { LineReport, RunReport } from '../../src/core/report/report.js';
import { analyze, snapshotsIn } from '../support/cli.js';
import { eventually } from '../support/eventually.js';
import { copyExample, exampleFolder } from '../support/workspaces.js';
import { uiSession } from './support/fixture.js';
import type { LiveList, TimelinePage } from './workbench/timelinePage.js';
import type { Workbench } from './workbench/workbench.js';
import { describeInFull } from '../support/sample.js';

const guilty = { file: 'detector/pyramid.py', line: 16, place: 'detector/pyramid.py:16' };

describeInFull('The timeline', () => {
  const ui = uiSession();
  let run: RunReport;
  let leak: LineReport;
  let workbench: Workbench;
  let timeline: TimelinePage;

  ui.prepare(async () => {
    const [only] = analyze(exampleFolder(), snapshotsIn(join(exampleFolder(), 'snapshots'))).runs;
    run = only;
    const found = run.lines.find(({ file, line }) => file === guilty.file && line === guilty.line);
    assert.ok(found !== undefined);
    leak = found;
    workbench = await ui.open({ folder: copyExample() });
    await workbench.runCommand('Leakline: Open Timeline');
    timeline = await workbench.timeline();
  });

  it('opens on the latest snapshot and lists what is live where one clicks', async () => {
    await timeline.clickCurve(0.5);
    const early = await timeline.live();
    assertAddsUp(early);
    await timeline.clickCurve(0.97);
    const late = await timeline.live();
    assertAddsUp(late);
    assert.notEqual(late.summary, early.summary);
    assert.equal(late.rows.at(0)?.place, guilty.place);
    await workbench.screenshot('timeline');
  });

  it('names the allocation under the mouse, and keeps the one that is clicked', async () => {
    assert.match(await timeline.hoverBand(0.9, 0.3), /detector\/pyramid\.py:16/);
    assert.match(await timeline.pickBand(0.9, 0.3), /detector\/pyramid\.py:16[^]*live at the end/);
  });

  it('opens a file at the line of an entry', async () => {
    await timeline.lookIntoPeak();
    await timeline.openLine(guilty.place);
    await workbench.editor.untilActive(guilty.file);
    await workbench.editor.untilCursorAt(guilty.line);
  });

  it('points out the allocations of the line that the cursor is on', async () => {
    await workbench.openFile('train.py');
    // No event tells when the page has followed the cursor: two equal looks at it do.
    let plain = await timeline.inkOfBands();
    await eventually(
      async () => {
        const before = plain;
        plain = await timeline.inkOfBands();
        assert.equal(plain, before);
      },
      { everyMs: 1_000 },
    );
    await workbench.openFile(guilty.file, guilty.line);
    await eventually(async () => {
      const ink = await timeline.inkOfBands();
      assert.ok(ink > plain + 1000, `${ink} instead of ${plain}: nothing is hatched`);
    });
    await workbench.screenshot('timeline-bands');
    await workbench.openFile('train.py');
    await eventually(async () => {
      const ink = await timeline.inkOfBands();
      assert.ok(ink < plain + 1000, `${ink} instead of ${plain}: something is still hatched`);
    });
  });

  it('opens the largest line straight away when a modifier is held', async () => {
    await workbench.openFile('train.py');
    await timeline.clickCurve(0.97, ['ControlOrMeta']);
    await workbench.editor.untilActive(guilty.file);
    await workbench.editor.untilCursorAt(guilty.line);
  });

  it('is led to by a lens, and then says of the line exactly what the command line says', async () => {
    await workbench.openFile(guilty.file);
    await workbench.editor.untilLens(guilty.line, /leaked/);
    await workbench.editor.clickLens('Show on timeline');
    const expected = { place: guilty.place, bytes: leak.liveBytes, blocks: leak.blocks };
    const live = run.snapshots.at(-1)?.devices.reduce((sum, { liveBytes }) => sum + liveBytes, 0);
    await eventually(async () => {
      const { rows, totalBytes } = await timeline.live();
      const row = rows.find(({ pointedOut }) => pointedOut);
      assert.deepEqual({ place: row?.place, bytes: row?.bytes, blocks: row?.blocks }, expected);
      assert.equal(totalBytes, live);
    });
    await workbench.screenshot('timeline-from-lens');
  });

  function assertAddsUp({ rows, totalBytes }: LiveList): void {
    assert.ok(totalBytes > 0);
    assert.equal(
      rows.reduce((sum, { bytes }) => sum + bytes, 0),
      totalBytes,
    );
  }
});
