/** Takes the pictures of README.md again, from the real thing on the example: `npm run pictures`. */
import { ensureChromium, ensureDependencies } from './lib/dependencies.mjs';
import { root } from './lib/paths.mjs';
import { runNode } from './lib/run.mjs';
import { ensureVsCodeHost } from './lib/vscodeHost.mjs';

await ensureDependencies();
await ensureVsCodeHost();
const env = { CHROMIUM_PATH: await ensureChromium() };
const build = await runNode(['scripts/build.mjs', '--production'], { cwd: root, quiet: true });
if (build.status !== 0) process.exit(build.status);
const { status } = await runNode(['--import', 'tsx', 'test/ui/pictures.ts'], { cwd: root, env });
process.exit(status);
