import * as vscode from 'vscode';
import snippets from '../../../snippets/python.json';
import { recordingPlace, trainingLoop } from './recordingPlace.js';

/** The text of the snippet that the editor offers while typing, with the defaults of the snippet. */
const RECORDING_CODE = snippets['Record GPU memory for Leakline'].body.map((line) =>
  line
    .replace(/\$\{\d+:([^}]*)\}/g, '$1')
    .replaceAll('$2', 'snapshots')
    .replaceAll('$0', ''),
);
const CALL = 'dump_memory_snapshot()';
/** Code that records already: PyTorch's own functions, or the recorder. */
const RECORDS = /_record_memory_history\s*\(|_dump_snapshot\s*\(|\bleakline_recorder\b/;

/**
 * Inserts recording code: a function after the imports, and its call in the loop at the cursor. Undo removes it.
 * @throws Error
 */
export async function insertRecordingCode(): Promise<void> {
  const editor = vscode.window.activeTextEditor;
  if (editor?.document.languageId !== 'python') {
    throw new Error(vscode.l10n.t('Open the Python file of the training loop first.'));
  }
  const { document } = editor;
  const lines = document.getText().split(/\r?\n/);
  const present = lines.findIndex((line) => RECORDS.test(line) && !/^\s*#/.test(line));
  if (present !== -1) {
    show(editor, present);
    void vscode.window.showInformationMessage(vscode.l10n.t('This file records already, at line {0}.', present + 1));
    return;
  }
  const loop = trainingLoop(lines, editor.selection.active.line);
  if (loop === null)
    throw new Error(vscode.l10n.t('Place the cursor in the training loop, then run this command again.'));
  const { behind, missing } = recordingPlace(lines, ['os', 'torch']);
  if (loop.behind <= behind) throw new Error(vscode.l10n.t('The loop stands before the imports: move it below them.'));
  const code = [...missing.map((name) => `import ${name}`), '', ...RECORDING_CODE].join('\n');
  await editor.edit((edit) => {
    if (behind === -1) edit.insert(new vscode.Position(0, 0), `${code.trimStart()}\n\n\n`);
    else edit.insert(document.lineAt(behind).range.end, `\n${code}`);
    edit.insert(document.lineAt(loop.behind).range.end, `\n${loop.indent}${CALL}`);
  });
  const call = editor.document
    .getText()
    .split(/\r?\n/)
    .findIndex((line) => line.trim() === CALL);
  show(editor, call);
  void vscode.window.showInformationMessage(
    vscode.l10n.t(
      'Inserted: a snapshot every 50 steps of the loop, at line {0}. They go to the folder snapshots.',
      call + 1,
    ),
  );
}

function show(editor: vscode.TextEditor, line: number): void {
  const at = new vscode.Position(line, 0);
  editor.selection = new vscode.Selection(at, at);
  editor.revealRange(new vscode.Range(at, at), vscode.TextEditorRevealType.InCenter);
}
