/**
 * Compiles the reader of trace entries to WebAssembly: `npm run entries`. `--check` only compares. The compiled code is
 * checked in: the core reads no files, and nothing has to run before its tests.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { main } from 'assemblyscript/asc';
import { fromRoot } from './lib/paths.mjs';

const SOURCE = 'src/core/formats/torch/assembly/entryReader.ts';
const COMPILED = fromRoot('src/core/formats/torch/entryCodeBytes.ts');
const OPTIONS = [
  '-O3',
  '--noAssert',
  // Its own memory management: none.
  ...['--runtime', 'minimal', '--memoryBase', '64', '--initialMemory', '3'],
  ...['--enable', 'bulk-memory'],
];

let bytes = null;
const { error, stderr } = await main(['entryReader.ts', ...OPTIONS, '--outFile', 'out.wasm'], {
  readFile: (name) => (name === 'entryReader.ts' ? readFileSync(fromRoot(SOURCE), 'utf8') : null),
  writeFile: (_, contents) => void (bytes = contents),
  listFiles: () => [],
});
if (error !== null) throw new Error(`${SOURCE} does not compile: ${stderr.toString()}`);
const text = `/** The code of \`assembly/entryReader.ts\`, in base64: \`npm run entries\` writes this file. */
export const ENTRY_CODE =
  '${Buffer.from(bytes).toString('base64')}';
`;
if (!process.argv.includes('--check')) writeFileSync(COMPILED, text);
else if (readFileSync(COMPILED, 'utf8') !== text) {
  console.error('The compiled reader of trace entries is not that of its source: run npm run entries.');
  process.exitCode = 1;
}
