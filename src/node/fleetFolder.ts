/**
 * The folder that the tasks of a fleet share:
 *
 *     digests/JOB/rank00017/STEM-KEY.lkd   failed/JOB/rank00017/STEM-KEY.json   ranks/JOB/rank00017.json
 */
import * as v from 'valibot';
import { createHash, randomUUID } from 'node:crypto';
import { readdir, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { getOrAdd } from '../core/maps.js';
import { withoutRank } from '../core/attribution/paths/pathRank.js';
import { folderOf, patternOf } from '../core/runs/runNames.js';
import { readSmallFile } from './fileSource.js';
import { makeFolder } from './makeFolder.js';
import { writeWhole } from './wholeFile.js';

const DIGEST = '.lkd';
const NOTE = '.json';
/** A file unfinished for so long was left by a task that ended, in milliseconds. */
const ABANDONED_MS = 24 * 3_600_000;
const MAX_NOTE_BYTES = 1 << 16;

/** The digests of one rank. */
export interface RankGroup {
  /** `JOB/rank00017`. */
  readonly name: string;
  /** Names of the files, ascending. */
  readonly digests: readonly string[];
}

/** A file that could not be read. */
const failedNote = v.pipe(v.string(), v.parseJson(), v.object({ path: v.string(), message: v.string() }));
type FailedNote = v.InferOutput<typeof failedNote>;

/** The group of a snapshot by its name: its folder, with steps left open, and its rank. */
export function groupOf(name: string, rank: number | null): string {
  return `${plain(folderOf(patternOf(withoutRank(name))), 'job')}/${rank === null ? 'norank' : `rank${String(rank).padStart(5, '0')}`}`;
}

export class FleetFolder {
  constructor(readonly path: string) {}

  /** True for a folder that tasks have written to. */
  static async is(path: string): Promise<boolean> {
    if ((await stat(path).catch(() => null))?.isFile() !== false) return false;
    const known = await Promise.all(['digests', 'ranks'].map((name) => stat(join(path, name)).catch(() => null)));
    return known.some((facts) => facts?.isDirectory() === true);
  }

  digestPath(group: string, name: string, key: string): string {
    return join(this.path, 'digests', group, stemOf(name, key) + DIGEST);
  }

  notePath(group: string, name: string, key: string): string {
    return join(this.path, 'failed', group, stemOf(name, key) + NOTE);
  }

  summaryPath(group: string): string {
    return join(this.path, 'ranks', group + NOTE);
  }

  /**
   * Writes a file that is complete or absent.
   * @param options `savedAtUs` its file time; `isSynced` false for a file that is made again if a power failure damages it
   */
  async write(
    path: string,
    content: Uint8Array | string,
    { savedAtUs = null, isSynced = true }: { savedAtUs?: number | null; isSynced?: boolean } = {},
  ): Promise<void> {
    const unfinished = join(this.path, 'unfinished');
    const part = join(unfinished, randomUUID());
    await makeFolder(unfinished);
    await makeFolder(dirname(path));
    await writeWhole(path, part, async (file) => {
      await file.writeFile(content);
      if (savedAtUs !== null) await file.utimes(savedAtUs / 1e6, savedAtUs / 1e6);
      if (isSynced) await file.sync();
    });
  }

  /** Removes the notes on an input that is good now. */
  async forgive(group: string, name: string): Promise<void> {
    const folder = join(this.path, 'failed', group);
    for (const file of await readdir(folder).catch(() => [])) {
      const path = join(folder, file);
      if ((await noteIn(path))?.path === name) await rm(path, { force: true });
    }
  }

  /** Removes partial files of killed tasks. */
  async sweep(): Promise<void> {
    const folder = join(this.path, 'unfinished');
    for (const file of await readdir(folder).catch(() => [])) {
      const path = join(folder, file);
      const facts = await stat(path).catch(() => null);
      if (facts !== null && Date.now() - facts.mtimeMs > ABANDONED_MS) await rm(path, { force: true });
    }
  }

  /** Groups with digests or a summary, by name. */
  async groups(): Promise<RankGroup[]> {
    const groups = new Map<string, string[]>();
    for (const path of await filesIn(join(this.path, 'ranks'), NOTE)) groups.set(path.slice(0, -NOTE.length), []);
    for (const path of await filesIn(join(this.path, 'digests'), DIGEST)) {
      getOrAdd(groups, dirname(path), () => []).push(basename(path));
    }
    return [...groups].map(([name, digests]) => ({ name, digests })).sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  async failed(): Promise<FailedNote[]> {
    const folder = join(this.path, 'failed');
    const notes: FailedNote[] = [];
    // One by one: a process may not open as many files as there are ranks.
    for (const path of await filesIn(folder, NOTE)) {
      const note = await noteIn(join(folder, path));
      if (note !== null) notes.push(note);
    }
    return notes.sort((a, b) => (a.path < b.path ? -1 : 1));
  }
}

/** Files of the two levels below a folder, as paths with `/`. */
async function filesIn(folder: string, suffix: string): Promise<string[]> {
  const files: string[] = [];
  const walk = async (below: string, levels: number): Promise<void> => {
    const entries = await readdir(join(folder, below), { withFileTypes: true }).catch(() => []);
    for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      const path = below === '' ? entry.name : `${below}/${entry.name}`;
      if (entry.isDirectory() && levels > 0) await walk(path, levels - 1);
      else if (entry.isFile() && entry.name.endsWith(suffix)) files.push(path);
    }
  };
  await walk('', 2);
  return files;
}

async function noteIn(path: string): Promise<FailedNote | null> {
  try {
    return v.parse(failedNote, (await readSmallFile(path, MAX_NOTE_BYTES)).bytes.toString());
  } catch {
    return null;
  }
}

function stemOf(name: string, key: string): string {
  return `${plain(basename(name).replace(/\.[^.]*$/, ''), 'snapshot')}-${key}`;
}

/** A part of a path that every file system takes, whatever a name holds. */
function plain(name: string, empty: string): string {
  const text = name.replace(/[^\w.-]+/g, '_').replace(/^[._]+|_+$/g, '');
  if (text.length <= 80) return text === '' ? empty : text;
  return `${text.slice(0, 64)}-${createHash('sha256').update(text).digest('hex').slice(0, 8)}`;
}
