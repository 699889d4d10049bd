/** Jupyter's names for the code of a cell. They contain a hash of its text, so equal names mean that this text ran. */
import { createHash } from 'node:crypto';
import * as v from 'valibot';

/** The name that ipykernel (6 and newer) gives, in its own folder of temporary files. */
const IPYKERNEL = /(?:^|[\\/])ipykernel_\d+[\\/](\d+)\.py$/;
/** The name that IPython gives, as ipykernel did before. */
const IPYTHON = /^<ipython-input-\d+-([0-9a-f]{12})>$/;
/** A URI of VS Code. */
const EDITOR = 'vscode-notebook-cell:';

/** The seed of the compiler of ipykernel. */
const SEED = 0xc70f6907;

/** The key of a cell in a recorded name, as in {@link cellKeys}; null for names of files. */
export function recordedCellKey(recorded: string): string | null {
  if (recorded.startsWith(EDITOR)) return recorded;
  const number = IPYKERNEL.exec(recorded)?.[1];
  if (number !== undefined) return `ipykernel ${number}`;
  const digest = IPYTHON.exec(recorded)?.[1];
  return digest === undefined ? null : `ipython ${digest}`;
}

/** Every key under which a cell with this text may have been recorded. */
export function cellKeys(text: string): string[] {
  const unix = text.replace(/\r\n/g, '\n');
  // IPython hashes the compiled text, which ends with a line break: with SHA-1, formerly MD5.
  const compiled = unix.endsWith('\n') ? unix : `${unix}\n`;
  const digests = ['sha1', 'md5'].map((kind) => createHash(kind).update(compiled, 'utf8').digest('hex').slice(0, 12));
  return [`ipykernel ${murmur2(Buffer.from(unix, 'utf8'), SEED)}`, ...digests.map((digest) => `ipython ${digest}`)];
}

/** MurmurHash2 of 32 bits, little-endian, unsigned. */
export function murmur2(bytes: Uint8Array, seed: number): number {
  const m = 0x5bd1e995;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let hash = seed ^ bytes.length;
  let at = 0;
  for (; at + 4 <= bytes.length; at += 4) {
    let word = Math.imul(view.getUint32(at, true), m);
    word = Math.imul(word ^ (word >>> 24), m);
    hash = Math.imul(hash, m) ^ word;
  }
  if (at < bytes.length) {
    let word = 0;
    for (let i = bytes.length - 1; i >= at; i--) word = (word << 8) | bytes[i];
    hash = Math.imul(hash ^ word, m);
  }
  hash = Math.imul(hash ^ (hash >>> 13), m);
  return (hash ^ (hash >>> 15)) >>> 0;
}

/** A code cell of a notebook file (nbformat 4). */
const cell = v.object({
  cell_type: v.literal('code'),
  source: v.union([
    v.string(),
    v.pipe(
      v.array(v.string()),
      v.transform((lines) => lines.join('')),
    ),
  ]),
});
const notebook = v.pipe(v.string(), v.parseJson(), v.object({ cells: v.array(v.unknown()) }));

/** Texts of the code cells of a notebook file; empty for other files. */
export function storedCells(json: string): string[] {
  const { success, output } = v.safeParse(notebook, json);
  if (!success) return [];
  return output.cells.flatMap((entry) => {
    const code = v.safeParse(cell, entry);
    return code.success ? [code.output.source] : [];
  });
}
