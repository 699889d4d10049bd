/** The extension looks results up. Code that computes or shows them would only make every window start later. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { build } from 'esbuild';
import { repositoryRoot } from '../../support/repository.js';

const COMPUTES = /^(src\/core\/(python|retention|runs|digest|timeline|pickle)|node_modules\/@lezer)\//;
/** But for the three kilobytes that make invisible characters of row names visible. */
const SHOWS =
  /^(src\/core\/(?!text\/plainText)|src\/protocol\/|src\/extension\/(results|fix|timeline|intake|engine|commands)\/|node_modules\/)/;

describe('The bundle of the extension', () => {
  it('holds no code that reads or analyzes, nor does that of the surfaces', async () => {
    for (const entry of ['activate', 'surfaces']) {
      const files = await bundled(entry);
      assert.ok(files.includes(`src/extension/${entry}.ts`));
      assert.deepEqual(
        files.filter((path) => COMPUTES.test(path)),
        [],
      );
    }
  });

  it('holds no code that shows results, and no library', async () => {
    const files = await bundled('activate');
    assert.deepEqual(
      files.filter((path) => SHOWS.test(path)),
      [],
    );
  });
});

/** @returns the files of which a bundle holds code; what is imported on demand is in another one */
async function bundled(entry: string): Promise<string[]> {
  const root = repositoryRoot();
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: [join(root, `src/extension/${entry}.ts`)],
    outdir: 'dist',
    ...{
      bundle: true,
      metafile: true,
      write: false,
      platform: 'node',
      external: ['vscode', './surfaces.js', './watch/snapshotWatchers.js'],
    },
  });
  const [{ inputs }] = Object.values(metafile.outputs);
  return Object.keys(inputs).filter((path) => inputs[path].bytesInOutput > 0);
}
