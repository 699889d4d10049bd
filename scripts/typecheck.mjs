/** Checks every TypeScript project of the repository; each has the globals of its own world and no others. */
import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { basename, resolve } from 'node:path';
import { fromRoot, root } from './lib/paths.mjs';

const tsc = createRequire(import.meta.url).resolve('typescript/bin/tsc');
const projects = ['src/core', '.', 'webview', 'test'];
let failed = false;
for (const project of projects) {
  // What was checked before and has not changed is not checked again.
  const memory = fromRoot('node_modules/.cache/typecheck', `${basename(resolve(root, project))}.tsbuildinfo`);
  const { status } = spawnSync(process.execPath, [tsc, '-p', project, '--incremental', '--tsBuildInfoFile', memory], {
    stdio: 'inherit',
    cwd: root,
  });
  failed ||= status !== 0;
}
process.exit(failed ? 1 : 0);
