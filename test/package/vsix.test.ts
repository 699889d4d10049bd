import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { packedExtension, repositoryRoot } from '../support/repository.js';
import { zipEntries } from './zipEntries.js';

const root = repositoryRoot();
const vsix = packedExtension();

/** Everything that may be in the package, as it is named there. */
const allowed = [
  /^extension\.vsixmanifest$/,
  /^\[Content_Types\]\.xml$/,
  /^extension\/package(\.nls(\.[\w-]+)?)?\.json$/,
  /^extension\/(readme|README|changelog|CHANGELOG)\.md$/,
  /^extension\/LICENSE(\.txt)?$/,
  /^extension\/dist\/(extension\.cjs|surfaces\.cjs|watchers\.cjs|worker\.cjs|reader\.cjs|webview\.js|webview\.css|cli\.js|cli-job\.mjs|cli-\w+-[A-Z\d]+\.mjs|THIRD_PARTY_NOTICES\.txt)$/,
  /^extension\/media\/(?!readme\/).+$/,
  /^extension\/recorder\/.+\.py$/,
  /^extension\/examples\/detector\/(train\.py|detector\/\w+\.py|(snapshots|fixed)\/step_\d+\.\w+(\.gz)?)$/,
  /^extension\/l10n\/.+\.json$/,
  /^extension\/snippets\/.+\.json$/,
];

describe('The packed extension', () => {
  const entries = zipEntries(vsix);
  const names = entries.map(({ name }) => name);
  const text = (name: string): string => {
    const entry = entries.find((candidate) => candidate.name === name);
    assert.ok(entry !== undefined, `${name} is not in the package`);
    return entry.read().toString('utf8');
  };

  it('is small', () => {
    assert.ok(statSync(vsix).size < 1_500_000, `${statSync(vsix).size} bytes`);
  });

  it('has exactly the intended files', () => {
    assert.deepEqual(
      names.filter((name) => !allowed.some((pattern) => pattern.test(name))),
      [],
    );
  });

  it('holds every program', () => {
    for (const program of [
      'extension.cjs',
      'surfaces.cjs',
      'watchers.cjs',
      'worker.cjs',
      'reader.cjs',
      'webview.js',
      'cli.js',
      'cli-job.mjs',
      ...readdirSync(join(root, 'dist')).filter((name) => /^cli-\w+-/.test(name)),
    ]) {
      const packed = entries.find(({ name }) => name === `extension/dist/${program}`);
      assert.ok(packed !== undefined, `${program} is missing`);
      assert.ok(packed.read().equals(readFileSync(join(root, 'dist', program))), `${program} is not what was built`);
    }
  });

  it('copies the names of VS Code once, not for each file that imports them', () => {
    for (const bundle of ['extension', 'surfaces', 'watchers']) {
      assert.equal(text(`extension/dist/${bundle}.cjs`).split(/require\(["']vscode["']\)/).length - 1, 1, bundle);
    }
  });

  it('includes the licenses of all bundled packages', () => {
    const notices = text('extension/dist/THIRD_PARTY_NOTICES.txt');
    for (const name of ['chart.js', 'chokidar', 'fflate', '@vscode/webview-ui-toolkit']) {
      assert.match(notices, new RegExp(`^${name} [\\d.]+ \\(MIT\\)$`, 'm'));
    }
  });

  it('holds every file that its manifest names', () => {
    const manifest = text('extension/package.json');
    const paths = [...manifest.matchAll(/"(?:\.\/)?((?:media|dist|l10n|snippets)\/[^"]*)"/g)].map(([, path]) => path);
    assert.ok(paths.length > 0);
    assert.deepEqual(
      paths.filter(
        (path) => !names.some((name) => name === `extension/${path}` || name.startsWith(`extension/${path}/`)),
      ),
      [],
    );
  });

  it('has a text for every key of its manifest', () => {
    const keys = [...text('extension/package.json').matchAll(/"%([\w.-]+)%"/g)].map(([, key]) => key);
    if (keys.length === 0) return;
    const texts = JSON.parse(text('extension/package.nls.json')) as Record<string, unknown>;
    assert.deepEqual(
      keys.filter((key) => typeof texts[key] !== 'string' && typeof texts[key] !== 'object'),
      [],
    );
  });

  it('carries the recorder if the repository has one', function () {
    if (!existsSync(join(root, 'recorder'))) this.skip();
    assert.ok(names.some((name) => /^extension\/recorder\/.+\.py$/.test(name)));
  });

  it('has a command line that says where mcp is', () => {
    const folder = mkdtempSync(join(tmpdir(), 'leakline-vsix-'));
    for (const entry of entries)
      if (entry.name.startsWith('extension/dist/cli')) writeFileSync(join(folder, basename(entry.name)), entry.read());
    const { status, stderr } = spawnSync(process.execPath, [join(folder, 'cli.js'), 'mcp', '--root', folder], {
      encoding: 'utf8',
    });
    rmSync(folder, { recursive: true });
    assert.equal(status, 2);
    assert.match(
      stderr,
      /^leakline: This is the command line of the extension, without mcp: install the npm or the Python/,
    );
  });
});
