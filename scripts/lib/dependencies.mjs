/** Puts in place what the other scripts need, and nothing that is there already. */
import { constants, existsSync, readFileSync } from 'node:fs';
import { access } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { fromRoot, root } from './paths.mjs';
import { run, runNpm } from './run.mjs';
import { step } from './step.mjs';

async function must(promise, what) {
  const { status } = await promise;
  if (status !== 0) throw new Error(`${what} failed with exit code ${status}.`);
}

function readLock(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8')).packages ?? {};
  } catch {
    return {};
  }
}

/** True if node_modules holds every package of the lockfile in its version; packages of other platforms may be absent. */
export function hasDependencies() {
  const wanted = Object.entries(readLock(fromRoot('package-lock.json'))).filter(([path]) => path !== '');
  const present = readLock(fromRoot('node_modules/.package-lock.json'));
  return wanted.every(([path, { version, optional }]) =>
    path in present ? present[path].version === version : optional === true,
  );
}

/** Installs the development dependencies if any is missing or differs from the lockfile. */
export async function ensureDependencies() {
  if (hasDependencies()) return;
  const paths = Object.keys(readLock(fromRoot('package-lock.json'))).filter((path) => path !== '');
  await step(
    'Installing development dependencies',
    () => must(runNpm(['ci'], { cwd: root }), 'npm ci'),
    () => `, ${paths.filter((path) => existsSync(fromRoot(path))).length} of ${paths.length} packages`,
  );
}

/**
 * Finds Chromium, or installs it where apt can.
 * @returns {Promise<string>} the path of its executable
 */
export async function ensureChromium() {
  const found = await findChromium();
  if (found !== undefined) return found;
  const [command, ...prefix] = process.getuid?.() === 0 ? ['apt-get'] : ['sudo', '-n', '--preserve-env', 'apt-get'];
  const apt = async (...args) =>
    must(
      run(command, [...prefix, ...args], { env: { DEBIAN_FRONTEND: 'noninteractive' }, quiet: true }),
      `apt-get ${args[0]}`,
    );
  if ((await which('apt-get')) === undefined) {
    throw new Error('No Chromium found. Install Chromium or Chrome, or set CHROMIUM_PATH.');
  }
  await step('Installing Chromium', async () => {
    await apt('update', '-q');
    // Without the browser around it a page takes two thirds of the time. Older releases have the whole one only.
    const install = (name) => apt('install', '-y', '-q', '--no-install-recommends', name);
    await install('chromium-headless-shell').catch(() => install('chromium'));
  });
  const installed = await findChromium();
  if (installed === undefined) throw new Error('Chromium was installed but is not on the PATH. Set CHROMIUM_PATH.');
  return installed;
}

async function findChromium() {
  const names = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];
  for (const candidate of [process.env.CHROMIUM_PATH, ...names, ...wellKnownPlaces()]) {
    if (candidate === undefined || candidate === '') continue;
    const path = candidate.includes('/') ? candidate : await which(candidate);
    // A name on the PATH may be a placeholder that only says how to install: believe a version, not a file.
    if (path !== undefined && (await answersVersion(path))) return path;
  }
  return undefined;
}

function wellKnownPlaces() {
  return process.platform === 'darwin'
    ? [
        '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
        '/Applications/Chromium.app/Contents/MacOS/Chromium',
      ]
    : [];
}

async function which(name) {
  for (const folder of (process.env.PATH ?? '').split(delimiter)) {
    const path = join(folder, name);
    const executable = await access(path, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (executable) return path;
  }
  return undefined;
}

async function answersVersion(path) {
  const { status, output } = await run(path, ['--version'], { silent: true, timeoutMs: 20_000 });
  return status === 0 && /\d+\.\d+/.test(output);
}
