import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { eventually } from '../../support/eventually.js';
import { inWorkspace } from '../extension.js';
import { byteLensesOf } from '../lenses.js';
import { ASKING_LINE } from './workspace.js';

describe('A snapshot of a program that ran out of memory', () => {
  const source = vscode.Uri.file(inWorkspace('net.py'));

  before(async () => {
    await vscode.commands.executeCommand('vscode.open', vscode.Uri.file(inWorkspace('out_of_memory.pickle')));
    await vscode.window.showTextDocument(source);
  });

  it('shows above the line how much it requested, and how much was missing', async () => {
    await eventually(async () => {
      const lenses = await byteLensesOf(source);
      assert.deepEqual(
        lenses.map(({ line, text }) => [line, text]),
        [[ASKING_LINE, '✖ requested 384 MiB, 272 MiB short']],
      );
    });
  });

  it('has one problem, on the line that asked', async () => {
    await eventually(() => {
      const problems = vscode.languages.getDiagnostics(source).filter((problem) => problem.source === 'Leakline');
      assert.deepEqual(
        problems.map(({ range, message }) => [range.start.line + 1, message]),
        [
          [
            ASKING_LINE,
            'Out of memory on device 0: net.py:8 (forward) requested 384 MiB, 112 MiB free on the device, ' +
              '768 MiB of 768 MiB reserved in use.\n' +
              'The device is full: even with an empty cache, 272 MiB is missing for the request of 384 MiB.\n' +
              'No allocator setting that was replayed would have avoided it: about 272 MiB short at best.',
          ],
        ],
      );
    });
  });
});
