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

  it('inserts code that records at the loop of the cursor, and once only', async () => {
    const content =
      'import os\nfrom torch import nn, \\\n    optim\n\n\nnet = nn.Linear(1, 1)\nfor batch in loader:\n    net(batch).backward()\n';
    const document = await vscode.workspace.openTextDocument({ language: 'python', content });
    const editor = await vscode.window.showTextDocument(document);
    editor.selection = new vscode.Selection(7, 0, 7, 0);
    await vscode.commands.executeCommand('leakline.insertRecordingCode');
    const text = document.getText();
    const [before, behind] = content.split('\n\n\n');
    assert.ok(text.startsWith(`${before}\nimport torch\n\n# Once, before`), text);
    assert.ok(text.endsWith(`.pickle")\n\n\n${behind.trimEnd()}\n    dump_memory_snapshot()\n`), text);
    assert.match(text, /^torch\.cuda\.memory\._record_memory_history/m);
    assert.match(text, /every: int = 50\)/);
    assert.doesNotMatch(text, /[ \t]$|\$/m);
    await vscode.commands.executeCommand('leakline.insertRecordingCode');
    assert.equal(document.getText(), text, 'it sees that the file records already');
    await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
  });

  it('passes the path of the recorder to debug configurations', async () => {
    const path = await vscode.commands.executeCommand<string>('leakline.recorderPath');
    assert.ok(path.endsWith('__main__.py') && existsSync(path), path);
  });
});
