import * as vscode from 'vscode';
import { recordingPlace } from './recordingPlace.js';

/** Python that records and dumps; placeholders are those of a snippet. */
const RECORDING_CODE = `# Once, before the model is built: every allocation keeps its Python stack from here on.
torch.cuda.memory._record_memory_history(max_entries=100_000, stacks="python")


def dump_memory_snapshot(step: int, every: int = \${1:50}) -> None:
    """Call once per training step: writes a snapshot of the GPU's memory every few steps."""
    if step % every == 0:
        os.makedirs("\${2:snapshots}", exist_ok=True)
        torch.cuda.memory._dump_snapshot(f"$2/step_{step:06d}.pickle")
$0`;

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
  await editor.insertSnippet(code, at);
  editor.revealRange(new vscode.Range(at, at), vscode.TextEditorRevealType.InCenter);
}
