import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { eventually } from '../support/eventually.js';
import { inWorkspace, leakline, manifestCommands } from './extension.js';

describe('Leakline in the extension host', () => {
  it('starts when a Python file is opened', async () => {
    await vscode.window.showTextDocument(vscode.Uri.file(inWorkspace('train.py')));
    await eventually(() => {
      assert.ok(leakline().isActive, 'not active');
    });
  });

  it('has every command of its manifest', async () => {
    await leakline().activate();
    const registered = new Set(await vscode.commands.getCommands(true));
    const promised = manifestCommands();
    assert.ok(promised.length > 0);
    assert.deepEqual(
      promised.filter((command) => !registered.has(command)),
      [],
    );
  });
});
