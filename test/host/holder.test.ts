import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import type { HolderReport } from '../../src/core/report/report.js';
import { eventually } from '../support/eventually.js';
import { inWorkspace } from './extension.js';
import { expectedLeaks, untilLensesShow } from './lenses.js';

describe('The mark of the statement that holds a leak', () => {
  let holder: HolderReport;
  let document: vscode.TextDocument;

  /** Texts of the lenses above its line, first words only. */
  const lenses = async (line: number): Promise<string[]> => {
    const all = await vscode.commands.executeCommand<vscode.CodeLens[]>(
      'vscode.executeCodeLensProvider',
      document.uri,
      100,
    );
    return all.flatMap(({ range, command }) => (range.start.line + 1 === line && command ? [command.title] : []));
  };
  const untilLens = (line: number, text: RegExp): Promise<void> =>
    eventually(async () => {
      assert.match((await lenses(line)).join('\n'), text);
    });
  const insert = async (line: number, character: number, text: string): Promise<void> => {
    const edit = new vscode.WorkspaceEdit();
    edit.insert(document.uri, new vscode.Position(line - 1, character), text);
    assert.ok(await vscode.workspace.applyEdit(edit));
  };

  before(async () => {
    await untilLensesShow(expectedLeaks());
    const [leak] = expectedLeaks();
    assert.ok(leak.holder !== null, 'the example has no holder');
    holder = leak.holder;
    assert.notEqual(holder.line, leak.line);
    document = await vscode.workspace.openTextDocument(inWorkspace(holder.file));
    await vscode.window.showTextDocument(document);
  });

  after(async () => {
    await vscode.window.showTextDocument(document);
    await vscode.commands.executeCommand('workbench.action.files.revert');
  });

  it('moves with it, dims when it is edited, together with the leak, and undo brings both back', async () => {
    const [leak] = expectedLeaks();
    await untilLens(holder.line, /^◆ Leaks [\d.]+ MiB\/step \([\d.]+ \w+ so far\)$/m);
    await insert(1, 0, '# one more line\n');
    await untilLens(holder.line + 1, /^◆ Leaks [\d.]+ MiB\/step \([\d.]+ \w+ so far\)$/m);
    const end = document.lineAt(holder.line).text.length;
    await insert(holder.line + 1, end, '  # edited');
    await untilLens(holder.line + 1, /^◆ Leaks .* · before your edit$/m);
    await untilLens(leak.line + 1, /^▲ Leaks .* · before your edit$/m);
    await vscode.commands.executeCommand('undo');
    await untilLens(holder.line + 1, /^◆ Leaks [\d.]+ MiB\/step \([\d.]+ \w+ so far\)$/m);
    await untilLens(leak.line + 1, /^▲ Leaks (?!.*before your edit)/m);
    await vscode.commands.executeCommand('undo');
    await untilLens(holder.line, /^◆ Leaks [\d.]+ MiB\/step \([\d.]+ \w+ so far\)$/m);
  });
});
