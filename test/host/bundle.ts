/** Bundles the in-host tests into one CommonJS file, the only kind that every VS Code can load as a test suite. */
import { build } from 'esbuild';
import { readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = fileURLToPath(new URL('.', import.meta.url));

/** @returns the path of the bundle, which exports `run()` */
export async function bundleHostTests(): Promise<string> {
  const outfile = fileURLToPath(new URL('../../out/host/suite.cjs', import.meta.url));
  const tests = readdirSync(here).filter((name) => name.endsWith('.test.ts'));
  const loaders = tests.map((name) => `() => import(${JSON.stringify(`./${basename(name)}`)})`);
  await build({
    stdin: {
      contents: `import { runSuite } from './runSuite.ts';\nexport const run = () => runSuite([${loaders.join(', ')}]);\n`,
      resolveDir: here,
      sourcefile: join(here, 'index.ts'),
      loader: 'ts',
    },
    outfile,
    bundle: true,
    platform: 'node',
    format: 'cjs',
    target: 'node22',
    sourcemap: 'inline',
    external: ['vscode', 'mocha'],
    logLevel: 'warning',
  });
  return outfile;
}
