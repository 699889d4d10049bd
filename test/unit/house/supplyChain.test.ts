/** What others build of us, and what of others is in our packages. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { thirdPartyNotices } from '../../../scripts/lib/notices.mjs';
import { repositoryRoot } from '../../support/repository.js';

const root = repositoryRoot();

describe('The supply chain', () => {
  it('has workflows and an action that name each action by its commit', () => {
    const files = [
      ...readdirSync(join(root, '.github/workflows')).map((name) => join('.github/workflows', name)),
      ...['action.yml', 'docs/ci.md'],
    ];
    const uses = files.flatMap((file) =>
      [...readFileSync(join(root, file), 'utf8').matchAll(/\buses: +(.*)$/gm)].map(
        ([, action]) => `${file}: ${action}`,
      ),
    );
    assert.ok(uses.length > 20);
    const isPinned = /: (?:[\w.-]+\/[\w./-]+@[\da-f]{40} # v\d+\.\d+\.\d+|leakline\/leakline@COMMIT.*)$/;
    assert.deepEqual(
      uses.filter((line) => !isPinned.test(line)),
      [],
    );
  });

  it('has the license of each package in the bundles, also of those inside another package', async () => {
    const { metafile } = await build({
      absWorkingDir: root,
      entryPoints: ['src/cli/mcp/serve.ts', 'webview/main.ts', 'src/extension/watch/snapshotWatchers.ts'],
      external: ['vscode'],
      platform: 'node',
      format: 'esm',
      bundle: true,
      metafile: true,
      write: false,
      outdir: 'out',
      logLevel: 'silent',
    });
    const notices = thirdPartyNotices([metafile])
      .split(`\n\n${'-'.repeat(80)}\n\n`)
      .slice(1);
    const named = new Set(notices.map((notice) => /^(\S+) [\d.]+ \(\S+\)\n/.exec(notice)?.[1]));
    const packages = new Set(
      Object.values(metafile.outputs)
        .flatMap(({ inputs }) => Object.entries(inputs))
        .filter(([path, { bytesInOutput }]) => path.includes('node_modules/') && bytesInOutput > 0)
        .flatMap(([path]) => [
          path,
          ...readFileSync(join(root, path), 'utf8')
            .split('\n')
            .filter((line) => line.startsWith('//#region')),
        ])
        .flatMap((text) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(text)?.[1] ?? []),
    );
    for (const name of ['@kurkle/color', 'ajv', 'content-type']) assert.ok(packages.has(name), name);
    assert.deepEqual([...named].sort(), [...packages].sort());
    for (const notice of notices) assert.match(notice, /copyright/i, notice.slice(0, 40));
  });
});
