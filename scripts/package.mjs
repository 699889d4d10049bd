/**
 * Builds and packs what is published: `leakline-VERSION.vsix` here, the npm and Python packages in `out/packages`.
 * `package.mjs vsix` packs the extension alone; `--no-build` packs dist as it is. The wheel needs Python's setuptools.
 */
import { createRequire } from 'node:module';
import { cpSync, mkdirSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fromRoot, root } from './lib/paths.mjs';
import { run, runNode } from './lib/run.mjs';

const limitBytes = 1_500_000;
const manifest = JSON.parse(readFileSync(fromRoot('package.json'), 'utf8'));
const { name, version } = manifest;
const packages = fromRoot('out/packages');
/** What .vscodeignore chooses from. */
const EXTENSION_PARTS =
  /^(?:\.vscodeignore|package\..*json|README\.md|CHANGELOG\.md|LICENSE|l10n|snippets|dist|media|recorder|examples)$/;

/** The functions that make each kind of package. */
const kinds = { vsix: packExtension, npm: packForNode, python: packForPython };
const [, , ...args] = process.argv;
const asked = args.filter((argument) => !argument.startsWith('-'));
if (!args.includes('--no-build')) await must(runNode(['scripts/build.mjs', '--production'], { cwd: root }));
for (const [kind, pack] of Object.entries(kinds)) if (asked.length === 0 || asked.includes(kind)) await pack();

/** The extension: offline, from an allow-list, under a limit. */
async function packExtension() {
  const target = `${name}-${version}.vsix`;
  const vsce = createRequire(import.meta.url).resolve('@vscode/vsce/vsce');
  // vsce compares each file below its folder with each line of .vscodeignore: 10 s in a checkout with its node_modules.
  const folder = staged('vsix');
  for (const path of readdirSync(root)) {
    if (EXTENSION_PARTS.test(path)) cpSync(fromRoot(path), join(folder, path), { recursive: true });
  }
  // Everything is bundled: dependencies are not looked at, and no version control host is asked.
  await must(runNode([vsce, 'package', '--no-dependencies', '--out', fromRoot(target)], { cwd: folder }));
  const { size } = statSync(fromRoot(target));
  console.log(`${target}: ${(size / 1e6).toFixed(2)} MB`);
  if (size > limitBytes) {
    console.error(`${target} is over its limit of ${limitBytes / 1e6} MB.`);
    process.exit(1);
  }
}

/** The command line as `npx leakline`. */
async function packForNode() {
  const folder = staged('npm');
  copyCommandLine(folder);
  cpSync(fromRoot('LICENSE'), join(folder, 'LICENSE'));
  const text = readFileSync(fromRoot('docs/cli.md'), 'utf8');
  writeFileSync(join(folder, 'README.md'), text.replace(/\]\((?=[\w-]+\.md)/g, '](docs/'));
  // What the README links to, and these in turn.
  for (const path of ['docs/cli.md', 'docs/ci.md', 'docs/fleet.md', 'examples/cluster'])
    cpSync(fromRoot(path), join(folder, path), { recursive: true });
  const { license, repository, bugs, homepage, engines } = manifest;
  const own = {
    ...{ name, version, description: 'Find GPU memory leaks in PyTorch training, on the line that causes them' },
    ...{ license, repository, bugs, homepage, engines: { node: engines.node }, type: 'module' },
    bin: { leakline: 'cli.js' },
  };
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(own, null, 2)}\n`);
  const npm = ['pack', folder, '--pack-destination', packages, '--loglevel', 'error'];
  await must(run('npm', npm, { cwd: root, quiet: true }));
}

/** Wheel and source of the Python package: recorder, pytest plugin, and the command line for the Node.js of the user. */
async function packForPython() {
  const folder = staged('python');
  cpSync(fromRoot('recorder'), folder, { recursive: true, filter: (path) => !path.includes('__pycache__') });
  copyCommandLine(join(folder, 'leakline/node'));
  writeFileSync(join(folder, 'leakline/node/package.json'), '{ "type": "module" }\n');
  cpSync(fromRoot('LICENSE'), join(folder, 'LICENSE'));
  const project = readFileSync(join(folder, 'pyproject.toml'), 'utf8');
  writeFileSync(join(folder, 'pyproject.toml'), project.replace(/^version = .*$/m, `version = "${version}"`));
  const tools = fromRoot('out/python-tools');
  const python = join(tools, process.platform === 'win32' ? 'Scripts/python.exe' : 'bin/python');
  if ((await run('python3', ['-m', 'venv', tools], { quiet: true })).status !== 0) {
    console.log('No Python package: python3 makes no virtual environment here.');
    return;
  }
  await must(run(python, ['-m', 'pip', 'install', '--quiet', 'setuptools>=77'], { quiet: true }));
  for (const kind of ['sdist', 'wheel']) {
    const build = `from setuptools import build_meta; import sys; build_meta.build_${kind}(sys.argv[1])`;
    await must(run(python, ['-c', build, packages], { cwd: folder, quiet: true }));
  }
}

/** An empty folder to put a package together. */
function staged(kind) {
  const folder = fromRoot(`out/staged-${kind}`);
  rmSync(folder, { recursive: true, force: true });
  for (const path of [folder, packages]) mkdirSync(path, { recursive: true });
  return folder;
}

function copyCommandLine(folder) {
  const parts = readdirSync(fromRoot('dist')).filter((file) => /^cli.*\.m?js$|^THIRD_PARTY/.test(file));
  for (const part of parts) cpSync(fromRoot('dist', part), join(folder, part));
  cpSync(fromRoot('skills'), join(folder, 'skills'), { recursive: true });
}

async function must(ended) {
  const { status } = await ended;
  if (status !== 0) process.exit(status);
}
