import assert from 'node:assert/strict';
import { join } from 'node:path';
import type { LineReport } from '../../src/core/report/report.js';
import { analyze, leakingLines, snapshotsIn } from '../support/cli.js';
import { eventually } from '../support/eventually.js';
import { copyExample, exampleFolder } from '../support/workspaces.js';
import { uiSession } from './support/fixture.js';
import type { Workbench } from './workbench/workbench.js';

const guiltyFile = 'detector/pyramid.py';

describe('The margin beside a leak', () => {
  const ui = uiSession();
  let guilty: LineReport;
  let workbench: Workbench;

  ui.prepare(async () => {
    const leaks = leakingLines(analyze(exampleFolder(), snapshotsIn(join(exampleFolder(), 'snapshots'))));
    const line = leaks.find(({ file }) => file === guiltyFile);
    assert.ok(line !== undefined, 'the example does not leak');
    guilty = line;
    workbench = await ui.open({ folder: copyExample() });
    await workbench.openFile(guiltyFile);
    await workbench.editor.untilLens(guilty.line, /leaked/);
  });

  it('has a sign on the leaking line and on no other', async () => {
    await eventually(async () => {
      assert.deepEqual(await workbench.editor.gutterLines(/gutter(?:%2F|\/)leak-/), [guilty.line]);
      // The line that holds what it allocates has a sign of another shape.
      assert.deepEqual(await workbench.editor.gutterLines(/gutter(?:%2F|\/)holder-/), [guilty.holder?.line]);
    });
    await workbench.settle();
    await workbench.screenshot('gutter');
  });

  it('leaves the place to a breakpoint, and takes it again', async () => {
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
});
