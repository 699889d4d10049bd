/** The extension that runs here, and the folder that is open. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import * as vscode from 'vscode';

interface Manifest {
  contributes?: { commands?: { command: string }[] };
}

export function leakline(): vscode.Extension<unknown> {
  const extension = vscode.extensions.getExtension('leakline.leakline');
  assert.ok(extension !== undefined, 'Leakline is not loaded');
  return extension;
}

export function manifestCommands(): string[] {
  return ((leakline().packageJSON as Manifest).contributes?.commands ?? []).map(({ command }) => command);
}

/** Path of something in the folder that is open. */
export function inWorkspace(...parts: string[]): string {
  const folder = vscode.workspace.workspaceFolders?.[0];
  assert.ok(folder !== undefined, 'no folder is open');
  return join(folder.uri.fsPath, ...parts);
}
