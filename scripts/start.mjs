/** From a fresh clone to Leakline at work: installs, builds, and opens VS Code on the example training repository. */
import { ensureDependencies, ensureVsCodeHost, step } from './lib/dependencies.mjs';
import { fromRoot, root } from './lib/paths.mjs';
import { run, runNode } from './lib/run.mjs';

const example = fromRoot('examples/detector');

/** A desktop `code`. In a terminal of a remote window `code` talks to that window and cannot load an extension. */
async function hasDesktopCode() {
  if (process.env.VSCODE_IPC_HOOK_CLI !== undefined) return false;
  return (await run('code', ['--version'], { silent: true })).status === 0;
}

await ensureDependencies();
await step('Building Leakline', async () => {
  const { status } = await runNode(['scripts/build.mjs', '--production'], { cwd: root, quiet: true });
  if (status !== 0) process.exit(status);
});

if (await hasDesktopCode()) {
  // As an extension under development rather than an installed one: it runs beside your other extensions and settings,
  // leaves nothing behind, and a rebuild followed by Reload Window shows a change.
  console.log(`Opening VS Code on ${example}`);
  const { status } = await run('code', ['--new-window', `--extensionDevelopmentPath=${root}`, example]);
  process.exit(status);
}

if (process.platform !== 'linux' || process.arch !== 'x64') {
  console.error('Leakline opens in desktop VS Code. Install it, and its `code` command on the PATH, and start again.');
  process.exit(1);
}
await ensureVsCodeHost();
console.log('… Starting VS Code in the browser (no desktop `code` on the PATH)');
const { status } = await runNode(['--import', 'tsx', 'test/vscode-host/serve.ts', root, example], { cwd: root });
process.exit(status);
