/** Decides between pairs of folders that cannot all be true. */
import { getOrAdd } from '../../maps.js';
import { commonFolder, foldersFrom, isInside, type Folder } from './folderTree.js';
import { comparePairs, isClean, isCredible, type FolderPair } from './folderPairs.js';

/** A recorded file: its workspace file, or all candidates. */
export type Assignment =
  | { readonly kind: 'one'; readonly file: number; readonly pair: FolderPair }
  | { readonly kind: 'several'; readonly files: readonly number[] };

/** A pair that won files, and where it knows its way. */
interface Winner {
  readonly pair: FolderPair;
  readonly recordedScope: Folder | null;
  readonly workspaceScope: Folder | null;
  readonly workspaceFolders: ReadonlySet<Folder>;
}

interface ContestInput {
  readonly pairs: readonly FolderPair[];
  /** Folder of each recorded file. */
  readonly recordFolder: readonly Folder[];
  /** Folder of each workspace file, by exact names. */
  readonly fileFolder: readonly Folder[];
  /** Workspace files that the user's rules gave to recorded ones: their folders are known to come from elsewhere. */
  readonly settledFiles: ReadonlySet<number>;
}

/**
 * Assigns each recorded file to the pair that explains most, and removes assignments that stronger evidence
 * contradicts.
 */
export function settlePairs(input: ContestInput): Map<number, Assignment> {
  const assigned = assignByWeight(input);
  return withoutContradicted(input, assigned);
}

/** Strongest pairs first; equally strong ones at once, so that order never decides. */
function assignByWeight({ pairs, recordFolder }: ContestInput): Map<number, Assignment> {
  const ordered = pairs.filter(isCredible).sort(comparePairs);
  const assigned = new Map<number, Assignment>();
  const learned = new Set<Folder>();
  for (let start = 0, end = 0; start < ordered.length; start = end) {
    const round = new Map<number, Assignment>();
    const first = ordered[start];
    while (end < ordered.length && comparePairs(first, ordered[end]) === 0) {
      const pair = ordered[end++];
      for (const hit of pair.hits) {
        if (assigned.has(hit.record)) continue;
        // A folder is learned, and the file is not there: its bare name elsewhere proves nothing.
        if (pair.depth === 1 && isInside(recordFolder[hit.record], learned)) continue;
        const before = round.get(hit.record);
        const [file] = hit.files;
        round.set(
          hit.record,
          before === undefined && hit.files.length === 1
            ? { kind: 'one', file, pair }
            : { kind: 'several', files: [...filesOf(before), ...hit.files] },
        );
      }
    }
    for (const [record, assignment] of round) {
      assigned.set(record, assignment);
      if (assignment.kind === 'one') learned.add(assignment.pair.recorded);
    }
  }
  return assigned;
}

/** Two recorded places cannot be one workspace folder, unless they are copies of one project. */
function withoutContradicted(input: ContestInput, assigned: Map<number, Assignment>): Map<number, Assignment> {
  const winners = winnersOf(input, assigned);
  const byRecordedScope = byFolder(winners, ({ recordedScope }) => (recordedScope === null ? [] : [recordedScope]));
  const byWorkspaceScope = byFolder(winners, ({ workspaceScope }) => (workspaceScope === null ? [] : [workspaceScope]));
  const byWorkspaceFolder = byFolder(winners, ({ workspaceFolders }) => workspaceFolders);
  const settledFolders = new Set([...input.settledFiles].map((file) => input.fileFolder[file]));

  const remaining = new Map<number, Assignment>();
  for (const [record, assignment] of assigned) {
    if (assignment.kind === 'several') {
      remaining.set(record, assignment);
      continue;
    }
    const { pair, file } = assignment;
    const folder = input.fileFolder[file];
    const weak = pair.depth === 1;
    const rivals = new Set<Winner>();
    // Rivals that contain this recorded folder, without the file at their place.
    collect(input.recordFolder[record], byRecordedScope, rivals);
    // Rivals that know where this workspace folder came from, and it is another place.
    if (weak) collect(folder, byWorkspaceScope, rivals);
    else for (const rival of byWorkspaceFolder.get(folder) ?? []) rivals.add(rival);
    let verdict: 'keep' | 'drop' | 'open' = settledFolders.has(folder) && !isClean(pair) ? 'drop' : 'keep';
    for (const rival of rivals) {
      if (rival.pair === pair || withstands(pair, rival.pair)) continue;
      if (withstands(rival.pair, pair)) verdict = 'drop';
      else if (verdict === 'keep') verdict = 'open';
    }
    if (verdict === 'keep') remaining.set(record, assignment);
    else if (verdict === 'open') remaining.set(record, { kind: 'several', files: [file] });
  }
  return remaining;
}

/** True if `pair` remains in spite of `rival`. */
function withstands(pair: FolderPair, rival: FolderPair): boolean {
  if (isClean(pair)) return true;
  return isClean(rival) ? pair.weight >= 2 * rival.weight : pair.weight > rival.weight;
}

function winnersOf(input: ContestInput, assigned: ReadonlyMap<number, Assignment>): Winner[] {
  const won = new Map<FolderPair, { recorded: Set<Folder>; workspace: Set<Folder> }>();
  for (const [record, assignment] of assigned) {
    if (assignment.kind !== 'one') continue;
    const folders = getOrAdd(won, assignment.pair, () => ({ recorded: new Set(), workspace: new Set() }));
    folders.recorded.add(input.recordFolder[record]);
    folders.workspace.add(input.fileFolder[assignment.file]);
  }
  return [...won].map(([pair, { recorded, workspace }]) => ({
    pair,
    recordedScope: commonFolder(recorded),
    workspaceScope: commonFolder(workspace),
    workspaceFolders: workspace,
  }));
}

function filesOf(assignment: Assignment | undefined): readonly number[] {
  if (assignment === undefined) return [];
  return assignment.kind === 'one' ? [assignment.file] : assignment.files;
}

function byFolder(winners: readonly Winner[], keys: (winner: Winner) => Iterable<Folder>): Map<Folder, Winner[]> {
  const groups = new Map<Folder, Winner[]>();
  for (const winner of winners) for (const key of keys(winner)) getOrAdd(groups, key, () => []).push(winner);
  return groups;
}

/** Adds the winners whose scope holds `folder`. */
function collect(folder: Folder, scopes: ReadonlyMap<Folder, readonly Winner[]>, into: Set<Winner>): void {
  for (const at of foldersFrom(folder)) for (const winner of scopes.get(at) ?? []) into.add(winner);
}
