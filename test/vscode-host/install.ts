/**
 * Installs VS Code (as code-server) beside this file, out of the package registry alone: no post-install scripts, no
 * downloads from elsewhere. Does nothing when the lockfile's version is in place already.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { hostFolder, hostNode, hostNodeFolder, vscodeFolder } from './installation.js';

/** Names what is installed; written last, so that an interrupted installation is done again. */
const stampFile = join(hostFolder, 'node_modules', '.leakline-host');

function wantedStamp(): string {
  const lock = readFileSync(join(hostFolder, 'package-lock.json'));
  return `${createHash('sha256').update(lock).digest('hex')} ${process.platform}-${process.arch}\n`;
}

type Command = readonly [program: string, ...args: string[]];

interface Step {
  title: string;
  cwd: string;
  command: Command;
  env?: Record<string, string>;
  /** A step that may fail says what is missing then. */
  optional?: string;
}

/** The npm that started this, run by the Node that started this: code-server's own Node brings none. */
function npm(): Command {
  const path = process.env['npm_execpath'];
  return path?.endsWith('.js') === true ? [process.execPath, path] : ['npm'];
}

function packageSteps(): Step[] {
  const ci: Command = [...npm(), 'ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  return [
    { title: 'code-server', cwd: hostFolder, command: ci },
    // Its shrinkwrap disagrees with itself about a peer, which plain `npm ci` refuses.
    { title: 'the editor', cwd: vscodeFolder, command: [...ci, '--omit=dev', '--legacy-peer-deps'] },
    { title: 'built-in extensions', cwd: join(vscodeFolder, 'extensions'), command: [...ci, '--omit=dev'] },
  ];
}

/** Compiled against the headers that come with the installed Node: call when the packages are in place. */
function nativeSteps(): Step[] {
  const headers = existsSync(join(hostNodeFolder, 'include')) ? [`--nodedir=${hostNodeFolder}`] : [];
  const gyp: Command = [hostNode(), join(hostFolder, 'node_modules/node-gyp/bin/node-gyp.js'), 'rebuild', ...headers];
  return ['@vscode/spdlog', '@vscode/native-watchdog'].map((module): Step => ({
    title: module,
    cwd: hostFolder,
    command: [...gyp, '-C', join(vscodeFolder, 'node_modules', module)],
    // Compiled in two thirds of the time: what writes a log has no need to be fast.
    env: { CXXFLAGS: '-O0' },
    optional: 'Without it the Output panel and the log files stay empty; all else works.',
  }));
}

function runStep({ title, cwd, command, env, optional }: Step): void {
  const start = Date.now();
  const [program, ...args] = command;
  const { status, stdout, stderr, error } = spawnSync(program, args, {
    cwd,
    env: { ...process.env, ...env },
    encoding: 'utf8',
  });
  const seconds = ((Date.now() - start) / 1000).toFixed(1);
  if (status === 0) {
    console.log(`  ${title} (${seconds} s)`);
    return;
  }
  const reason = error?.message ?? `${stdout}${stderr}`.trim();
  if (optional === undefined) throw new Error(`Could not install ${title}:\n${reason}`);
  console.log(`  ${title} could not be built. ${optional}`);
}

function install(): void {
  const stamp = wantedStamp();
  if (existsSync(stampFile) && readFileSync(stampFile, 'utf8') === stamp) return;
  const start = Date.now();
  console.log('… Installing VS Code for tests and demo (800 MB, once)');
  for (const step of packageSteps()) runStep(step);
  for (const step of nativeSteps()) runStep(step);
  writeFileSync(stampFile, stamp);
  console.log(`✓ VS Code for tests and demo is in place (${((Date.now() - start) / 1000).toFixed(1)} s)`);
}

try {
  install();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
