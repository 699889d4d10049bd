/** The cost of starting an extension, named by `LEAKLINE_EXTENSION`. */
import { setTimeout as sleep } from 'node:timers/promises';
import * as vscode from 'vscode';

/** The first extension to start pays for what the host needs once: this one of VS Code's own. */
const FIRST = 'vscode.merge-conflict';
/** The window itself is done by then: it is not what is measured. */
const SETTLE_MS = 4_000;

/** @returns milliseconds in which the bundle is loaded and activated */
export async function measureActivation(): Promise<number> {
  await vscode.extensions.getExtension(FIRST)?.activate();
  await sleep(SETTLE_MS);
  const id = process.env['LEAKLINE_EXTENSION'] ?? '';
  const extension = vscode.extensions.getExtension(id);
  if (extension === undefined) throw new Error(`${id} is not here.`);
  if (extension.isActive) throw new Error(`${id} was active before anybody asked.`);
  const begun = performance.now();
  await extension.activate();
  return performance.now() - begun;
}
