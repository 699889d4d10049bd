/**
 * Installs VS Code (as code-server) in `test/vscode-host`, from the package registry alone: no post-install scripts, no
 * compiler, no downloads from elsewhere.
 */
import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fromRoot } from './paths.mjs';
import { runNpm } from './run.mjs';
import { step } from './step.mjs';

const hostFolder = fromRoot('test/vscode-host');
const vscodeFolder = join(hostFolder, 'node_modules/code-server/lib/vscode');
/** Names what is installed; written last, so that an interrupted installation is done again. */
const stampFile = join(hostFolder, 'node_modules/.leakline-host');
/** Stand-ins for native modules, which would need a compiler and a minute. */
const standIns = ['spdlog', 'native-watchdog'];

/** Installs it, unless it is there in the lockfile's version. */
export async function ensureVsCodeHost() {
  const stamp = wantedStamp();
  if (existsSync(stampFile) && readFileSync(stampFile, 'utf8') === stamp) return;
  await step('Installing VS Code for tests and demo (800 MB, once)', async () => {
    await install(hostFolder);
    await Promise.all([
      // Its shrinkwrap disagrees with itself about a peer, which plain `npm ci` refuses.
      install(vscodeFolder, '--omit=dev', '--legacy-peer-deps'),
      install(join(vscodeFolder, 'extensions'), '--omit=dev'),
    ]);
    for (const name of standIns)
      copyFileSync(standInFor(name), join(vscodeFolder, 'node_modules/@vscode', name, 'index.js'));
    writeFileSync(stampFile, stamp);
  });
}

async function install(cwd, ...options) {
  const ci = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error', ...options];
  const { status } = await runNpm(ci, { cwd, quiet: true });
  if (status !== 0) throw new Error(`Installing VS Code failed: npm ci in ${cwd} ended with exit code ${status}.`);
}

function standInFor(name) {
  return join(hostFolder, 'standIns', `${name}.cjs`);
}

function wantedStamp() {
  const hash = createHash('sha256');
  for (const path of [join(hostFolder, 'package-lock.json'), ...standIns.map(standInFor)])
    hash.update(readFileSync(path));
  return `${hash.digest('hex')} ${process.platform}-${process.arch}\n`;
}
