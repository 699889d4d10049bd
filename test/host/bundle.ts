/** Bundles the in-host tests of a folder into one CommonJS file, the only kind that every VS Code can load as a test suite. */
import { build } from 'esbuild';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = fileURLToPath(new URL('.', import.meta.url));

/** Test files of a folder below this one. */
export function testFiles(folder: string): string[] {
  return readdirSync(join(here, folder))
    .filter((name) => name.endsWith('.test.ts'))
    .map((name) => join(here, folder, name));
}

/** True if a test of these files may have a title that matches: a window is opened for such tests only. */
export function hasTitle(files: readonly string[], pattern: RegExp): boolean {
  return files.some((file) => {
    const source = readFileSync(file, 'utf8');
    const titles = (name: string): string[] =>
      [...source.matchAll(new RegExp(`\\b${name}\\((['"])(.*?)\\1, `, 'g'))].map(([, , title]) => title);
    return titles('describe').some((group) => titles('it').some((test) => pattern.test(`${group} ${test}`)));
  });
}

/** @returns the path of the bundle, which exports `run()` */
export async function bundleHostTests(folder: string): Promise<string> {
  const outfile = fileURLToPath(new URL(join('../../out/host', folder, 'suite.cjs'), import.meta.url));
  const loaders = testFiles(folder).map((path) => `() => import(${JSON.stringify(path)})`);
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
