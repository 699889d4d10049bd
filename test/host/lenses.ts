/** Leakline's lenses in the open folder, through the editor's own interface. */
import assert from 'node:assert/strict';
import { relative, sep } from 'node:path';
import * as vscode from 'vscode';
import type { LineReport } from '../../src/core/report/report.js';
import { analyze, leakingLines, snapshotsIn } from '../support/cli.js';
import { eventually } from '../support/eventually.js';
import { assertLeaked } from '../support/shownBytes.js';
import { inWorkspace } from './extension.js';

export interface LineLens {
  file: string;
  /** 1-based. */
  line: number;
  text: string;
}

/** Lenses that name bytes of what a line allocates, in all Python files of the folder. */
export async function byteLenses(): Promise<LineLens[]> {
  const files = await vscode.workspace.findFiles('**/*.py');
  const lenses: LineLens[] = [];
  for (const uri of files.sort((a, b) => (a.path < b.path ? -1 : 1))) {
    lenses.push(...(await byteLensesOf(uri)));
  }
  return lenses;
}

/** Lenses of one file that name bytes. */
export async function byteLensesOf(uri: vscode.Uri): Promise<LineLens[]> {
  // Lenses are requested for open documents only.
  await vscode.workspace.openTextDocument(uri);
  const found = await vscode.commands.executeCommand<vscode.CodeLens[]>('vscode.executeCodeLensProvider', uri, 100);
  return found.flatMap(({ range, command }) => {
    // A statement that holds what another line allocates has a lens of its own.
    if (command === undefined || !/^(?!◆).*\d [KMGT]?i?B/.test(command.title)) return [];
    const file = relative(inWorkspace(), uri.fsPath).split(sep).join('/');
    return [{ file, line: range.start.line + 1, text: command.title }];
  });
}

/** The command line's findings in the present snapshots of the folder. */
export function expectedLeaks(): LineReport[] {
  return leakingLines(analyze(inWorkspace(), snapshotsIn(inWorkspace('snapshots'))));
}

/** Waits until there is a lens above each of these lines and above no other, each with the line's bytes. */
export async function untilLensesShow(lines: readonly LineReport[]): Promise<LineLens[]> {
  const place = ({ file, line }: { file: string; line: number }): string => `${file}:${line}`;
  return eventually(
    async () => {
      const lenses = await byteLenses();
      assert.deepEqual(lenses.map(place).sort(), lines.map(place).sort());
      for (const lens of lenses) {
        const line = lines.find((candidate) => place(candidate) === place(lens));
        assert.ok(line !== undefined, 'there is no such lens');
        assertLeaked(lens.text, line.leakedBytes);
      }
      return lenses;
    },
    { everyMs: 50 },
  );
}
