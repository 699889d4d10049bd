import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import * as vscode from 'vscode';
import { eventually, steadily } from '../support/eventually.js';
import { inWorkspace } from './extension.js';
import { byteLenses, expectedLeaks, untilLensesShow } from './lenses.js';

const marks = (): vscode.WorkspaceConfiguration => vscode.workspace.getConfiguration('leakline.marks', null);

describe('While a program is debugged', () => {
  const program = inWorkspace('debugged.js');

  before(async () => {
    await untilLensesShow(expectedLeaks());
    writeFileSync(program, 'setInterval(() => {}, 60_000);\n');
    const started = await vscode.debug.startDebugging(undefined, {
      type: 'node',
      request: 'launch',
      name: 'a program',
      program,
      internalConsoleOptions: 'neverOpen',
    });
    assert.ok(started, 'nothing is debugged');
    await eventually(() => {
      assert.ok(vscode.debug.activeDebugSession !== undefined, 'nothing is debugged');
    });
  });

  after(async () => {
    await vscode.debug.stopDebugging();
    await vscode.workspace.fs.delete(vscode.Uri.file(program));
  });

  it('nothing is marked, unless requested', async () => {
    const nothingMarked = async (): Promise<void> => {
      assert.deepEqual(await byteLenses(), []);
    };
    await eventually(nothingMarked);
    await steadily(nothingMarked, 500);
    await marks().update('whileDebugging', true, vscode.ConfigurationTarget.Workspace);
    try {
      await untilLensesShow(expectedLeaks());
    } finally {
      await marks().update('whileDebugging', undefined, vscode.ConfigurationTarget.Workspace);
    }
    await eventually(nothingMarked);
  });

  it('marks come back when it ends', async () => {
    await vscode.debug.stopDebugging();
    await untilLensesShow(expectedLeaks());
  });
});
