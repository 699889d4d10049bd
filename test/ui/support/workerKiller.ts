/** An extension that lets Leakline's worker die once, in the middle of reading a file: what a crash looks like. */
import { newFolder, writeFiles } from '../../support/workspaces.js';

/** Ends the first worker when it has read a file and reported another that it is being read. */
const MAIN = `'use strict';
const threads = require('node:worker_threads');
const { Worker } = threads;
let killed = false;
threads.Worker = class extends Worker {
  constructor(script, options) {
    super(script, options);
    if (options?.name !== 'leakline' || killed) return;
    let loaded = false;
    this.on('message', (message) => {
      loaded ||= message.kind === 'result' && Array.isArray(message.value?.snapshots);
      if (killed || !loaded || message.kind !== 'notice') return;
      killed = true;
      void this.terminate();
    });
  }
};
exports.activate = () => undefined;
`;

/** Writes it. @returns its folder */
export function writeWorkerKiller(): string {
  const folder = newFolder('killer');
  const manifest = {
    ...{ name: 'worker-killer', publisher: 'leakline-tests', version: '1.0.0', engines: { vscode: '^1.101.0' } },
    ...{ main: './main.cjs', activationEvents: ['*'], extensionKind: ['workspace'] },
  };
  writeFiles(folder, { 'package.json': JSON.stringify(manifest), 'main.cjs': MAIN });
  return folder;
}
