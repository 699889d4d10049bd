/** From a fresh clone to Leakline at work: installs, builds, and opens VS Code on the example training repository. */
import { ensureDependencies, hasDependencies } from './lib/dependencies.mjs';
import { fromRoot, root } from './lib/paths.mjs';
import { run, runNode } from './lib/run.mjs';
import { step } from './lib/step.mjs';
import { ensureVsCodeHost } from './lib/vscodeHost.mjs';

const example = fromRoot('examples/detector');
/** The file with the statement that holds the example's leak. */
const cause = fromRoot('examples/detector/detector/pyramid.py');
const TOUR = `
  The example leaks 35.8 MiB per step. Three clicks:

    1. Leakline in the status bar, then the row in the Leaks view: the statement that holds the memory
    2. Fix… above it: the change
    3. Apply Fix and Record Again in its title bar: "The leak is gone", with or without a GPU or PyTorch
`;

/** A desktop `code`. In a terminal of a remote window `code` talks to that window and cannot load an extension. */
async function hasDesktopCode() {
  if (process.env.VSCODE_IPC_HOOK_CLI !== undefined) return false;
  return (await run('code', ['--version'], { silent: true })).status === 0;
}

if (!hasDependencies())
  console.log(
    'The first start takes one to three minutes and installs 0.3 GB from npm; without a desktop VS Code, 0.8 GB more.',
  );
await ensureDependencies();
await step('Building Leakline', async () => {
  const { status } = await runNode(['scripts/build.mjs', '--production'], { cwd: root, quiet: true });
  if (status !== 0) process.exit(status);
});

if (await hasDesktopCode()) {
  // As an extension under development rather than an installed one: it runs beside your other extensions and settings,
  // leaves nothing behind, and a rebuild followed by Reload Window shows a change.
  console.log(TOUR);
  const finding = ['--goto', `${cause}:18`];
  const { status } = await run('code', ['--new-window', `--extensionDevelopmentPath=${root}`, example, ...finding]);
  process.exit(status);
}

if (process.platform !== 'linux' || process.arch !== 'x64') {
  console.error('Leakline opens in desktop VS Code. Install it, and its `code` command on the PATH, and start again.');
  process.exit(1);
}
await ensureVsCodeHost();
console.log('… Starting VS Code in the browser (no desktop `code` on the PATH)');
console.log(TOUR);
const { status } = await runNode(['--import', 'tsx', 'test/vscode-host/serve.ts', root, example, cause], { cwd: root });
process.exit(status);
