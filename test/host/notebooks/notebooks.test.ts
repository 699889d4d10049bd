import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import type { LeaklineApi } from '../../../src/extension/api.js';
import { byteText } from '../../../src/core/text/numberText.js';
import type { LineReport } from '../../../src/core/report/report.js';
import { eventually } from '../../support/eventually.js';
import { assertLeaked } from '../../support/shownBytes.js';
import { inWorkspace, leakline } from '../extension.js';
import { byteLensesOf, type LineLens } from '../lenses.js';
import { truth } from '../truth.js';
import type { NotebookTruth } from './workspace.js';

describe('Notebook cells', () => {
  const { leaks, changed } = truth() as NotebookTruth;
  const [leak, other] = leaks;
  let api: LeaklineApi;
  let notebook: vscode.NotebookDocument;

  const nameOf = ({ notebook: file, cell }: typeof leak): string => `${file} cell ${cell + 1}`;
  const lines = (): LineReport[] => api.report()?.runs.flatMap((run) => run.lines) ?? [];
  const cell = (index: number): vscode.Uri => notebook.cellAt(index).document.uri;

  const untilLens = (index: number, line: number, text: RegExp): Promise<LineLens> =>
    eventually(async () => {
      const lenses = await byteLensesOf(cell(index));
      assert.deepEqual(
        lenses.map((lens) => lens.line),
        [line],
        lenses.map((lens) => lens.text).join(),
      );
      assert.match(lenses[0].text, text);
      return lenses[0];
    });

  const editCell = async (at: vscode.Position, text: string): Promise<void> => {
    const edit = new vscode.WorkspaceEdit();
    edit.insert(cell(leak.cell), at, text);
    assert.ok(await vscode.workspace.applyEdit(edit));
  };

  before(async () => {
    api = (await leakline().activate()) as LeaklineApi;
  });

  it('are known by their text, in notebooks that are not open', async () => {
    await eventually(() => {
      for (const one of leaks) {
        const found = lines().find(({ file, line }) => file === nameOf(one) && line === one.line);
        assert.deepEqual([found?.mapped, found?.verdict, found?.liveBytes], [true, 'leak', one.bytes]);
      }
    });
  });

  it('are not guessed at when their text has changed', async () => {
    await eventually(() => {
      const found = lines().find(({ file }) => file === changed);
      assert.deepEqual([found?.mapped, found?.verdict], [false, 'growing']);
    });
  });

  it('have lenses and hovers where they leak, and nowhere else', async () => {
    notebook = await vscode.workspace.openNotebookDocument(vscode.Uri.file(inWorkspace(leak.notebook)));
    await vscode.window.showNotebookDocument(notebook);
    const lens = await untilLens(leak.cell, leak.line, /▲ Leaks/);
    assertLeaked(lens.text, leak.bytes);
    for (const { index, kind } of notebook.getCells()) {
      if (index === leak.cell || kind !== vscode.NotebookCellKind.Code) continue;
      assert.deepEqual(await byteLensesOf(cell(index)), []);
    }
    const hovers = await vscode.commands.executeCommand<vscode.Hover[]>(
      'vscode.executeHoverProvider',
      cell(leak.cell),
      new vscode.Position(leak.line - 1, 10),
    );
    const told = hovers.flatMap(({ contents }) => contents.map((part) => (part as vscode.MarkdownString).value)).join();
    // The problem says the answer, and the hover goes on.
    const problems = vscode.languages.getDiagnostics(cell(leak.cell)).map(({ message }) => message);
    assert.ok(problems.join().includes(`${byteText(leak.bytes)} so far`), problems.join());
    assert.match(told, /Held by history.*Fix/s);
  });

  it('are gone to, in a notebook that is open and in one that is not', async () => {
    for (const one of [other, leak]) {
      await vscode.commands.executeCommand('leakline.internal.openSource', { file: nameOf(one), line: one.line });
      await eventually(() => {
        const editor = vscode.window.activeNotebookEditor;
        assert.equal(editor?.notebook.uri.fsPath, inWorkspace(one.notebook));
        assert.equal(editor.selection.start, one.cell);
        const inCell = vscode.window.activeTextEditor;
        assert.equal(inCell?.document.uri.toString(), editor.notebook.cellAt(one.cell).document.uri.toString());
        assert.equal(inCell.selection.active.line + 1, one.line);
      });
    }
  });

  it('stay on their lines during edits, report a different line, and return after undo', async () => {
    await untilLens(leak.cell, leak.line, /so far\)$/);
    await editCell(new vscode.Position(0, 0), '# one more line\n');
    await untilLens(leak.cell, leak.line + 1, /so far\)$/);
    await editCell(new vscode.Position(leak.line, 8), 'edited.');
    await untilLens(leak.cell, leak.line + 1, /before your edit$/);
    const back = new vscode.WorkspaceEdit();
    back.delete(cell(leak.cell), new vscode.Range(leak.line, 8, leak.line, 8 + 'edited.'.length));
    assert.ok(await vscode.workspace.applyEdit(back));
    await untilLens(leak.cell, leak.line + 1, /so far\)$/);
  });

  it('keep their marks when a cell is put above them', async () => {
    const above = new vscode.NotebookCellData(vscode.NotebookCellKind.Code, 'print(1)', 'python');
    const edit = new vscode.WorkspaceEdit();
    edit.set(notebook.uri, [vscode.NotebookEdit.insertCells(0, [above])]);
    assert.ok(await vscode.workspace.applyEdit(edit));
    await untilLens(leak.cell + 1, leak.line + 1, /so far\)$/);
    await eventually(() => {
      const files = lines().map(({ file }) => file);
      assert.ok(files.includes(nameOf({ ...leak, cell: leak.cell + 1 })), files.join());
    });
  });
  it('mark the line that requested memory when a cell runs out of it, until the cell runs well', async () => {
    notebook = await vscode.workspace.openNotebookDocument('jupyter-notebook', {
      cells: [
        new vscode.NotebookCellData(vscode.NotebookCellKind.Code, 'def forward():\n    return allocate()\n', 'python'),
        new vscode.NotebookCellData(vscode.NotebookCellKind.Code, 'x = 1\nforward()\n', 'python'),
      ],
    });
    await vscode.window.showNotebookDocument(notebook);
    const controller = vscode.notebooks.createNotebookController('leakline-test', 'jupyter-notebook', 'Test');
    controller.updateNotebookAffinity(notebook, vscode.NotebookControllerAffinity.Preferred);
    const name = 'OutOfMemoryError';
    const message = 'CUDA out of memory. Tried to allocate 9.00 GiB. GPU 0 has a total capacity of 8.00 GiB of which';
    const stack = [
      `${'-'.repeat(75)}\n${name}                          Traceback (most recent call last)`,
      'Cell In[2], line 2\n      1 x = 1\n----> 2 forward()',
      'Cell In[1], line 2, in forward()\n      1 def forward():\n----> 2     return allocate()',
      'File /opt/lib/python3.12/site-packages/torch/nn/functional.py:99, in allocate(x)',
      `\u001b[31m${name}\u001b[39m: ${message}`,
    ].join('\n\n');
    let order = 0;
    let fails = true;
    controller.executeHandler = async (cells) => {
      for (const one of cells) {
        const execution = controller.createNotebookCellExecution(one);
        execution.executionOrder = ++order;
        execution.start();
        await execution.clearOutput();
        const isLast = one.index === 1;
        const failure = vscode.NotebookCellOutputItem.error({ name, message, stack });
        if (isLast && fails) await execution.appendOutput(new vscode.NotebookCellOutput([failure]));
        execution.end(!isLast || !fails);
      }
    };
    try {
      await vscode.commands.executeCommand('notebook.selectKernel', {
        id: 'leakline-test',
        extension: leakline().id,
      });
      await vscode.commands.executeCommand('notebook.execute');
      const asking = await eventually(async () => {
        const lenses = await vscode.commands.executeCommand<vscode.CodeLens[]>(
          'vscode.executeCodeLensProvider',
          cell(0),
        );
        const [lens] = lenses.filter((one) => one.command?.title.startsWith('✖'));
        assert.equal(lens.range.start.line, 1);
        return lens.command?.title;
      });
      assert.equal(asking, '✖ requested 9.0 GiB, the device has 8.0 GiB');
      fails = false;
      order = 0;
      await vscode.commands.executeCommand('notebook.execute');
      await eventually(async () => {
        const lenses = await vscode.commands.executeCommand<vscode.CodeLens[]>(
          'vscode.executeCodeLensProvider',
          cell(0),
        );
        assert.deepEqual(
          lenses.filter((one) => one.command?.title.startsWith('✖')),
          [],
        );
      });
    } finally {
      controller.dispose();
    }
  });
});
