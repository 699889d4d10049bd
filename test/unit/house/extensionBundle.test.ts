/** The extension looks results up. Code that computes them would only make every window start later. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { build } from 'esbuild';
import { repositoryRoot } from '../../support/repository.js';

const COMPUTES = /^(src\/core\/(python|retention|runs|digest|timeline|pickle)|node_modules\/@lezer)\//;

describe('The bundle of the extension', () => {
  it('holds no code that reads or analyzes', async () => {
    const root = repositoryRoot();
    const { metafile } = await build({
      absWorkingDir: root,
      entryPoints: [join(root, 'src/extension/activate.ts')],
      outdir: 'dist',
      ...{ bundle: true, metafile: true, write: false, platform: 'node', external: ['vscode'] },
    });
    const [{ inputs }] = Object.values(metafile.outputs);
    const shipped = Object.keys(inputs).filter((path) => inputs[path].bytesInOutput > 0);
    assert.ok(shipped.includes('src/extension/activate.ts'));
    assert.deepEqual(
      shipped.filter((path) => COMPUTES.test(path)),
      [],
    );
  });
});
