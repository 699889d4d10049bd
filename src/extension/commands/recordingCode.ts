import * as vscode from 'vscode';
import snippets from '../../../snippets/python.json';
import { recordingPlace } from './recordingPlace.js';

/** The same text as the snippet that the editor offers while typing. */
const RECORDING_CODE = snippets['Record GPU memory for Leakline'].body.join('\n');

/** Inserts the code that records memory history behind the imports of the active file; undo takes it back. */
export async function insertRecordingCode(): Promise<void> {
  const editor = vscode.window.activeTextEditor;
  if (editor?.document.languageId !== 'python') {
    throw new Error(vscode.l10n.t('Open the Python file of the training loop first.'));
  }
  const { behind, missing } = recordingPlace(editor.document.getText().split(/\r?\n/), ['os', 'torch']);
  const imports = missing.map((name) => `import ${name}\n`).join('');
  const at = behind === -1 ? new vscode.Position(0, 0) : editor.document.lineAt(behind).range.end;
  const head = behind === -1 ? '' : '\n';
  const code = new vscode.SnippetString(`${head}${imports}\n${RECORDING_CODE}`);
  // As it stands: a continued import ends on an indented line.
  await editor.insertSnippet(code, at, { undoStopBefore: true, undoStopAfter: true, keepWhitespace: true });
  editor.revealRange(new vscode.Range(at, at), vscode.TextEditorRevealType.InCenter);
}
