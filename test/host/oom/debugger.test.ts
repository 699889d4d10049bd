import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { eventually } from '../../support/eventually.js';
import { inWorkspace } from '../extension.js';
import { byteLensesOf } from '../lenses.js';
import { truth } from '../truth.js';
import type { OutOfMemoryTruth } from './workspace.js';

describe('A debugger that stops on an out-of-memory error', () => {
  const source = vscode.Uri.file(inWorkspace('debugged.py'));

  after(() => vscode.debug.stopDebugging());

  it('marks the line that requested memory, while it stands there', async function () {
    const { debugpy } = truth() as OutOfMemoryTruth;
    if ('missing' in debugpy) {
      console.log(`      skipped: ${debugpy.missing}`);
      this.skip();
    }
    let isExplained = false;
    const tracker = vscode.debug.registerDebugAdapterTrackerFactory('debugpy', {
      createDebugAdapterTracker: () => ({
        onDidSendMessage: (message: { command?: string }) => {
          isExplained ||= message.command === 'exceptionInfo';
        },
      }),
    });
    await vscode.window.showTextDocument(source);
    assert.deepEqual(await byteLensesOf(source), []);
    const isStarted = await vscode.debug.startDebugging(undefined, {
      ...{ type: 'debugpy', request: 'launch', name: 'Debugged', python: 'python3', console: 'internalConsole' },
      ...{ program: source.fsPath, debugpy: debugpy.folder },
    });
    assert.ok(isStarted);
    await eventually(() => assert.ok(vscode.debug.activeStackItem instanceof vscode.DebugStackFrame, 'it goes on'));
    // The debugger shows the exception, for which VS Code asks the adapter.
    await eventually(() => assert.ok(isExplained, 'the exception is not shown'));
    await eventually(async () => {
      const lenses = await byteLensesOf(source);
      assert.deepEqual(
        lenses.map(({ line, text }) => [line, text]),
        [[6, '✖ requested 2.1 GiB, 9.9 GiB unused in the cache']],
      );
    });
    assert.ok(vscode.debug.activeStackItem instanceof vscode.DebugStackFrame, 'the program has ended');
    await vscode.debug.stopDebugging();
    tracker.dispose();
  });
});
