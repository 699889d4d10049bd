/** Builds and packs the extension as leakline-VERSION.vsix: offline, from an allow-list, under a limit. `--no-build` packs dist as it is. */
import { createRequire } from 'node:module';
import { readFileSync, statSync } from 'node:fs';
import { fromRoot, root } from './lib/paths.mjs';
import { runNode } from './lib/run.mjs';

const limitBytes = 1_500_000;
const { name, version } = JSON.parse(readFileSync(fromRoot('package.json'), 'utf8'));
const target = `${name}-${version}.vsix`;
const vsce = createRequire(import.meta.url).resolve('@vscode/vsce/vsce');

async function must(args) {
  const { status } = await runNode(args, { cwd: root });
  if (status !== 0) process.exit(status);
}

if (!process.argv.includes('--no-build')) await must(['scripts/build.mjs', '--production']);
// Everything is bundled: dependencies are not looked at, and no version control host is asked.
await must([vsce, 'package', '--no-dependencies', '--out', fromRoot(target)]);
const { size } = statSync(fromRoot(target));
console.log(`${target}: ${(size / 1e6).toFixed(2)} MB`);
if (size > limitBytes) {
  console.error(`${target} is over its limit of ${limitBytes / 1e6} MB.`);
  process.exit(1);
}
