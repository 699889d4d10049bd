import { splitMember } from '../model/memberPath.js';
import type { SnapshotDigest } from './digest.js';

/** The snapshots of one process, in order of step. */
export interface Run {
  /** Names the run among the others: its folder and the pattern of its files' names. */
  id: string;
  rank: number | null;
  snapshots: readonly SnapshotDigest[];
  /** The step that each snapshot's recording or name gives, null where neither does. */
  steps: readonly (number | null)[];
}

const RANK = /(?:^|[^a-z])rank[_-]?(\d+)/i;
/** Folders that a launcher makes anew for every step; other numbered folders are runs of their own. */
const STEP_FOLDER = /^(?:(?:global)?[_-]?(?:step|iter|iteration|epoch)s?[_-]?)?\d+$/i;
/** First times of one process differ by the fit of its clock, never by this much. */
const SAME_CLOCK_US = 1_000_000;

/** The rank that a path names, as launchers write it (`rank0_…`, `…/rank1/…`), null if it names none. */
export function rankOf(path: string): number | null {
  const match = RANK.exec(path.replaceAll('\\', '/'));
  return match === null ? null : Number(match[1]);
}

/** Names the distributed run whose ranks have one run each: the run's name without its rank; null if it has no rank. */
export function jobOf({ id, rank }: Pick<Run, 'id' | 'rank'>): string | null {
  return rank === null ? null : id.replaceAll(/rank[_-]?\d+/gi, 'rank#');
}

/** The step that a path names: the last number of the file's name that is no rank, else that of a step folder. */
export function stepOf(path: string): number | null {
  const parts = path.replaceAll('\\', '/').split('/');
  const name = (parts.pop() ?? '').replace(/\.[^.]*$/, '').replace(/rank[_-]?\d+/gi, '');
  const numbers = name.match(/\d+/g);
  const last = numbers?.at(-1) ?? parts.findLast((part) => STEP_FOLDER.test(part))?.match(/\d+/)?.[0];
  return last === undefined || last.length > 15 ? null : Number(last);
}

/** The step of a snapshot: the recorder knows it, a name may tell it. */
export function stepOfDigest(digest: SnapshotDigest): number | null {
  return digest.recording?.step ?? stepOf(digest.path);
}

/** Groups snapshots into runs. Every snapshot is in exactly one run. */
export function groupRuns(digests: readonly SnapshotDigest[]): Run[] {
  const patterns = new Map<string, SnapshotDigest[]>();
  for (const digest of digests) {
    const key = familyOf(digest, patterns);
    const family = patterns.get(key);
    if (family === undefined) patterns.set(key, [digest]);
    else family.push(digest);
  }
  const runs: Run[] = [];
  for (const [id, family] of patterns) {
    const parts = splitByTime(family.sort(bySequence));
    parts.forEach((snapshots, part) => {
      runs.push({
        id: part === 0 ? id : `${id} (${part + 1})`,
        rank: snapshots[0].recording?.rank ?? rankOf(snapshots[0].path),
        snapshots,
        steps: snapshots.map(stepOfDigest),
      });
    });
  }
  return runs.sort((a, b) => (a.id < b.id ? -1 : 1));
}

/** Files whose names differ in a number belong together, and so do differently named dumps of the same history. */
function familyOf(digest: SnapshotDigest, families: ReadonlyMap<string, readonly SnapshotDigest[]>): string {
  // Snapshots that somebody put into one file need not be of one process.
  const isMember = splitMember(digest.path) !== null;
  const key = recordedFamily(digest) ?? (isMember ? digest.path : patternOf(digest.path));
  if (families.has(key)) return key;
  for (const [other, members] of families) {
    if (folderOf(other) === folderOf(key) && members.some((member) => sameHistory(member, digest))) return other;
  }
  return key;
}

/** The recorder names the run; its snapshots with and without traces belong together. */
function recordedFamily({ path, recording }: SnapshotDigest): string | null {
  if (recording === null || recording.run === '') return null;
  const file = recording.rank === null ? recording.run : `${recording.run} rank${recording.rank}`;
  return folderOf(path.replaceAll('\\', '/')) + file;
}

function patternOf(path: string): string {
  const parts = path.replaceAll('\\', '/').split('/');
  const file = parts.pop() ?? '';
  const folders = parts.map((part) => (STEP_FOLDER.test(part) ? part.replace(/\d+/, '#') : part));
  const rank = rankOf(path);
  const name = file.replace(/\d+/g, '#');
  return [...folders, rank === null ? name : name.replace(/rank[_-]?#/i, `rank${rank}`)].join('/');
}

function folderOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/') + 1);
}

/** True if both traces begin with the same events at the same time: two dumps of one process, neither overflowed. */
export function sameHistory(a: SnapshotDigest, b: SnapshotDigest): boolean {
  let common = false;
  for (const head of a.heads) {
    const other = b.heads.find((candidate) => candidate.device === head.device);
    if (other === undefined) continue;
    const shared = Math.min(head.hashes.length, other.hashes.length) - 1;
    if (head.hashes[shared] !== other.hashes[shared]) return false;
    if (head.firstUs !== null && other.firstUs !== null && Math.abs(head.firstUs - other.firstUs) > SAME_CLOCK_US) {
      return false;
    }
    common = true;
  }
  return common;
}

function bySequence(a: SnapshotDigest, b: SnapshotDigest): number {
  const stepA = stepOfDigest(a);
  const stepB = stepOfDigest(b);
  if (stepA !== null && stepB !== null && stepA !== stepB) return stepA - stepB;
  if (a.takenAtUs !== null && b.takenAtUs !== null && a.takenAtUs !== b.takenAtUs) return a.takenAtUs - b.takenAtUs;
  return a.path < b.path ? -1 : 1;
}

/** A later step that was taken earlier is left over from a former run that wrote the same names. */
function splitByTime(ordered: readonly SnapshotDigest[]): SnapshotDigest[][] {
  const parts: SnapshotDigest[][] = [];
  let before: number | null = null;
  for (const digest of ordered) {
    const goesBack = before !== null && digest.takenAtUs !== null && digest.takenAtUs < before;
    if (parts.length === 0 || goesBack) parts.push([]);
    parts[parts.length - 1].push(digest);
    before = digest.takenAtUs ?? before;
  }
  return parts;
}
