/** Which folder of the training machine is which folder of the workspace, and how well the files bear it out. */
import { isInside, type Folder } from './folderTree.js';

/** A recorded file at the place that a pair of folders predicts. */
interface PairHit {
  /** Index of the recorded file. */
  readonly record: number;
  /** Workspace files there; several only where names differ in letter case alone. */
  readonly files: readonly number[];
}

/** Everything below `recorded` is the same path below `workspace`. The two differ in their last name, or one is a root. */
export interface FolderPair {
  readonly recorded: Folder;
  readonly workspace: Folder;
  readonly hits: readonly PairHit[];
  /** Path components that agree, over all hits. */
  readonly weight: number;
  /** Components that agree in the best hit. */
  readonly depth: number;
  /** Recorded files near a hit that are missing at the predicted place. */
  readonly misses: number;
}

/** Collects the evidence for and against one pair. */
export function weighPair(recorded: Folder, workspace: Folder): FolderPair {
  const hits: PairHit[] = [];
  const hitFolders = new Set<Folder>();
  let weight = 0;
  let depth = 0;
  const visit = (from: Folder, to: Folder, length: number): void => {
    for (const [name, records] of from.files) {
      const files = to.files.get(name);
      if (files === undefined) continue;
      for (const record of records) hits.push({ record, files });
      hitFolders.add(from);
      weight += length * records.length;
      depth = Math.max(depth, length);
    }
    for (const [name, inner] of from.folders) {
      const other = to.folders.get(name);
      if (other !== undefined) visit(inner, other, length + 1);
    }
  };
  visit(recorded, workspace, 1);

  let beside = 0;
  for (const folder of hitFolders) if (!isInside(folder.parent, hitFolders)) beside += folder.size;
  return { recorded, workspace, hits, weight, depth, misses: beside - hits.length };
}

/** True if no evidence contradicts the pair. A single common name proves more at the top of the workspace. */
export function isCredible(pair: FolderPair): boolean {
  return pair.workspace.parent === null ? pair.weight >= pair.misses : pair.weight > pair.misses;
}

/** True if several files agree and none disagrees: another copy of the same project. */
export function isClean(pair: FolderPair): boolean {
  return pair.hits.length > 1 && pair.misses === 0;
}

/** Most convincing first; 0 for indistinguishable pairs. */
export function comparePairs(a: FolderPair, b: FolderPair): number {
  return b.weight - a.weight || b.depth - a.depth || a.misses - b.misses;
}
