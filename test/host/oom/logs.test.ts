import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { eventually } from '../../support/eventually.js';
import { inWorkspace } from '../extension.js';

describe('Logs that failed before the window opened', () => {
  it('mark the line once for all ranks, with candidates, unless its file was written since', async () => {
    const problemsOf = (name: string): string[] =>
      vscode.languages.getDiagnostics(vscode.Uri.file(inWorkspace(name))).map(({ message }) => message);
    await eventually(() => {
      const [message, ...others] = problemsOf('logged.py');
      assert.match(
        message,
        /^Fragmentation: .*\nlogged\.py:3 .* requested 2\.3 GiB on device 0\.\nOn ranks: 0, 1\.\n/s,
      );
      assert.match(message, /\nLine logged\.py:3 may keep tensors of every step .*, held by outputs: a candidate/);
      assert.deepEqual(others, []);
    });
    assert.deepEqual(problemsOf('rewritten.py'), []);
  });
});
