import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import * as vscode from 'vscode';
import { inWorkspace, leakline } from './extension.js';

describe('Recording', () => {
  before(async () => {
    await leakline().activate();
  });

  it('is offered as a task for the Python file that is being looked at', async () => {
    await vscode.window.showTextDocument(vscode.Uri.file(inWorkspace('train.py')));
    const tasks = await vscode.tasks.fetchTasks({ type: 'leakline' });
    const task = tasks.find(({ definition }) => definition['program'] === 'train.py');
    assert.ok(task !== undefined, 'not offered');
    // A fetched task's execution comes back as plain data.
    const { args, options } = task.execution as vscode.ProcessExecution;
    assert.ok(existsSync(args[0]), args[0]);
    assert.equal(args[1], 'train.py');
    assert.equal(options?.cwd, inWorkspace());
  });

  it('puts its code behind the imports, at the margin and without a space at the end of a line', async () => {
    const content = 'import os\nfrom torch import nn, \\\n    optim\n\n\nnet = nn.Linear(1, 1)\n';
    const document = await vscode.workspace.openTextDocument({ language: 'python', content });
    await vscode.window.showTextDocument(document);
    await vscode.commands.executeCommand('leakline.insertRecordingCode');
    const text = document.getText();
    const [before, behind] = content.split('\n\n\n');
    assert.ok(text.startsWith(`${before}\nimport torch\n\n# Once, before`), text);
    assert.ok(text.endsWith(`.pickle")\n\n\n${behind}`), text);
    assert.match(text, /^torch\.cuda\.memory\._record_memory_history/m);
    assert.doesNotMatch(text, /[ \t]$/m);
    await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
  });

  it('tells debug configurations where the recorder is', async () => {
    const path = await vscode.commands.executeCommand<string>('leakline.recorderPath');
    assert.ok(path.endsWith('__main__.py') && existsSync(path), path);
  });
});
