/** Snapshot files for tests: our own fixtures, and the larger corpus beside the checkout where there is one. */
import { existsSync, readdirSync, readFileSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { readSnapshot } from '../../src/core/formats/readSnapshot.js';
import type { ReadOptions } from '../../src/core/formats/format.js';
import type { Snapshot } from '../../src/core/model/snapshot.js';
import { bytesSource } from './bytesSource.js';
import { repositoryRoot } from './repository.js';

export const FIXTURES = join(repositoryRoot(), 'test/fixtures');
const SHARED = join(repositoryRoot(), '../shared/corpus');
/** Without links, as the command line names files. */
export const CORPUS = existsSync(SHARED) ? realpathSync(SHARED) : SHARED;

export function hasCorpus(): boolean {
  return existsSync(CORPUS);
}

/** Every `*.pickle` under a folder, gzipped or not. */
export function picklesUnder(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.pickle(?:\.gz)?$/.test(name))
    .sort()
    .map((name) => join(folder, name));
}

export function readFile(path: string, options?: ReadOptions): Promise<Snapshot> {
  return readSnapshot(bytesSource(path, readFileSync(path)), options);
}

export function readBytes(bytes: Uint8Array, options?: ReadOptions): Promise<Snapshot> {
  return readSnapshot(bytesSource('test.pickle', bytes), options);
}
