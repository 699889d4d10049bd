import * as vscode from 'vscode';

/** Python that records and dumps; placeholders are those of a snippet. */
const RECORDING_CODE = `import os

import torch

# Once, before the model is built: every allocation keeps its Python stack from here on.
torch.cuda.memory._record_memory_history(max_entries=100_000, stacks="python")


def dump_memory_snapshot(step: int, every: int = \${1:50}) -> None:
    """Call once per training step: writes a snapshot of the GPU's memory every few steps."""
    if step % every == 0:
        os.makedirs("\${2:snapshots}", exist_ok=True)
        torch.cuda.memory._dump_snapshot(f"$2/step_{step:06d}.pickle")
$0`;

/** Inserts the code that records memory history into the active Python editor; the user's undo takes it back. */
export async function insertRecordingCode(): Promise<void> {
  const editor = vscode.window.activeTextEditor;
  if (editor?.document.languageId !== 'python') {
    throw new Error(vscode.l10n.t('Open the Python file of the training loop first.'));
  }
  await editor.insertSnippet(new vscode.SnippetString(RECORDING_CODE));
}
