/** Checks every TypeScript project of the repository; each has the globals of its own world and no others. */
import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { root } from './lib/paths.mjs';

const compiler = dirname(createRequire(import.meta.url).resolve('typescript-native/package.json'));
const projects = ['src/core', '.', 'webview', 'test'];
const failed = projects.filter((project) => {
  const check = [join(compiler, 'bin/tsc'), '-p', project];
  return spawnSync(process.execPath, check, { stdio: 'inherit', cwd: root }).status !== 0;
});
process.exit(failed.length > 0 ? 1 : 0);
