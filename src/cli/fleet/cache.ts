import { rm, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { rankByPattern } from '../../core/attribution/paths/pathRank.js';
import { savedAtUs, stateOf } from '../../node/fileSource.js';
import { readFleetFile } from '../../node/fleetFile.js';
import type { FleetFolder } from '../../node/fleetFolder.js';
import { noContents, readContents, type Complain, type Contents, type Input } from '../inputs.js';
import { digestOne } from './digest.js';
import { unusableText } from '../usableCache.js';
import { storedContents } from './gather.js';

/** Reads inputs from their digests in a folder, and first writes those that are not there. */
export function throughCache(folder: FleetFolder, complain: Complain): typeof readContents {
  let isThere = true;
  return async (input, rankPattern) => {
    try {
      const cached = isThere ? await cachedContents(folder, input, rankPattern) : null;
      if (cached !== null) return cached;
    } catch (error) {
      if (!(error instanceof Error && 'code' in error)) throw error;
      isThere = false;
      complain(unusableText(folder.path, error.message), true);
    }
    return readContents(input, rankPattern);
  };
}

/** @returns null for an input that has no digest */
async function cachedContents(
  folder: FleetFolder,
  { path, found }: Input,
  rankPattern: RegExp | null,
): Promise<Contents | null> {
  const state = await stat(path).catch(() => null);
  if (state?.isFile() !== true) return null;
  const { target } = await digestOne(folder, { path, name: path, found }, rankPattern);
  if (target === null) return null;
  const beside = { rank: rankByPattern(path, rankPattern), savedAtUs: savedAtUs(stateOf(state)) };
  const contents = noContents();
  let members = 1;
  for (let member = 0; member <= members; member++) {
    const file = member === 0 ? target : memberPath(target, member);
    if (member > 0 && (await stat(file).catch(() => null)) === null) {
      // Logs and cycle graphs follow the digests of a file.
      if (member < members) return null;
      break;
    }
    const input = await readFleetFile(file).catch(() => null);
    if (input === null) {
      await rm(target, { force: true });
      return null;
    }
    if ('digest' in input) {
      const { digest } = input;
      const name = basename(path);
      const at = digest.path.lastIndexOf(name);
      if (at < 0) return null;
      ({ members } = input);
      // The digest may be of a copy of the file in another folder.
      contents.digests.push({ ...digest, ...beside, path: path + digest.path.slice(at + name.length) });
    } else {
      const { trends, cycles } = await storedContents(path, input.bytes);
      contents.trends.push(...trends);
      contents.cycles.push(...cycles);
      break;
    }
  }
  return contents;
}

function memberPath(target: string, member: number): string {
  return target.replace(/(?=\.[^.]*$)/, `-${member}`);
}
