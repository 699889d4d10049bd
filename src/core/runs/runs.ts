import { groupBy } from '../maps.js';
import { splitMember } from '../model/memberPath.js';
import type { Microseconds } from '../model/units.js';
import type { SnapshotDigest } from '../digest/digest.js';
import { factOf } from '../factOf.js';
import { rankOf } from '../attribution/paths/pathRank.js';
import { counterOf, folderOf, patternOf, stepOf, timeOfName } from './runNames.js';
import { provesOneProcess, provesTwoProcesses } from './sameProcess.js';

/**
 * The source of the order of a run's snapshots: steps, times in the files, times in their names, or the files' own
 * times.
 */
export type RunOrder = 'steps' | 'times' | 'namedTimes' | 'savedTimes' | 'names';

/** The snapshots of one process, in order. */
export interface Run {
  /** Names the run among the others: its folder and the pattern of its files' names. */
  id: string;
  /** The pattern of its files' names, or the recorder's name of it, in its folder. */
  family: string;
  rank: number | null;
  snapshots: readonly SnapshotDigest[];
  /** The step of each snapshot by recording or name, or null. */
  steps: readonly (number | null)[];
  order: RunOrder;
}

/** Snapshots with fewer events cannot be identified as equal. */
const MIN_EVENTS = 1;
/** With more steps back in time, by number and share, the number in the names is not a step. */
const BACKWARDS = { steps: 2, share: 1 / 3 };
/** Numbers that are all powers of two from this on are sizes that were tried, and no steps. */
const MIN_SIZE = 16;
/** More snapshots than this are not compared with each other beyond their names. */
const MAX_COMPARED = 64;

/** The step of a snapshot, from the recorder, else from its name. */
export const stepOfDigest = factOf(
  ({ recording, path }: SnapshotDigest): number | null => recording?.step ?? stepOf(path),
);

/** The number that a snapshot's name ends with, see `counterOf`. */
const counterOfDigest = factOf(({ path }: SnapshotDigest): number | null => counterOf(path));

/** Groups snapshots into runs. Every snapshot is in exactly one run. */
export function groupRuns(digests: readonly SnapshotDigest[]): Run[] {
  const runs: Run[] = [];
  for (const [id, family] of mergeFamilies(familiesByName(oncePerSnapshot(digests)))) {
    const parts = processesOf(family).flatMap((members) => {
      const order = orderOf(members);
      return splitByTime(members.sort(bySequence(order))).map((snapshots) => ({ snapshots, order }));
    });
    const names = new Set<string>();
    parts.forEach(({ snapshots, order }, part) => {
      const isAlone = snapshots.length === 1 && snapshots[0].recording === null;
      const name = isAlone ? snapshots[0].path : names.size === 0 ? id : `${id} (${part + 1})`;
      if (!isAlone) names.add(name);
      runs.push({
        id: name,
        family: id,
        rank: rankOfDigest(snapshots[0]),
        snapshots,
        steps: stepsOfMembers(snapshots),
        order,
      });
    });
  }
  return runs.sort((a, b) => (a.id < b.id ? -1 : 1));
}

/**
 * The run without snapshots from the end of its process, if it has others: the end releases what training does not.
 * `exits` are those snapshots.
 */
export function splitAtExit(whole: Run): { run: Run; exits: Run } {
  const part = (atEnd: boolean): Run => {
    const places = [...whole.snapshots.keys()].filter((i) => isAtEnd(whole.snapshots[i]) === atEnd);
    return { ...whole, snapshots: places.map((i) => whole.snapshots[i]), steps: places.map((i) => whole.steps[i]) };
  };
  const [run, exits] = [part(false), part(true)];
  if (exits.snapshots.length === 0) return { run: whole, exits };
  return run.snapshots.length > 0 ? { run, exits } : { run: whole, exits: run };
}

function isAtEnd({ recording }: SnapshotDigest): boolean {
  return recording?.isAtEnd === true;
}

/** A page and a pickle of one snapshot are one: the first that was given. */
function oncePerSnapshot(digests: readonly SnapshotDigest[]): readonly SnapshotDigest[] {
  if (digests.every(({ format }) => format === digests[0].format)) return digests;
  const seen = new Map<string, SnapshotDigest>();
  return digests.filter((digest) => {
    if (digest.takenAtUs === null || digest.eventCount < MIN_EVENTS) return true;
    const key = contentKey(digest);
    const first = seen.get(key);
    if (first === undefined) seen.set(key, digest);
    return first === undefined || first.format === digest.format;
  });
}

const contentKey = factOf(({ takenAtUs, eventCount, devices, heads }: SnapshotDigest): string => {
  const live = devices.map(({ device, liveBytes }) => [device, liveBytes]);
  return JSON.stringify([takenAtUs, eventCount, live, heads.map(({ hashes }) => hashes)]);
});

/** The steps of a run's snapshots: their own, else the numbers in which their names differ. */
function stepsOfMembers(members: readonly SnapshotDigest[]): (number | null)[] {
  const said = members.map(stepOfDigest);
  if (members.length === 1) return said;
  const counted = said.every((step) => step === null) ? members.map(counterOfDigest) : said;
  const isSequence = new Set(counted).size > members.length / 2;
  const isFalse = members.every(({ takenAtUs }) => takenAtUs !== null) && contradictsTimes(members, counted);
  return counted.includes(null) || !isSequence || isFalse ? said : counted;
}

/** Files whose names differ in a step or a time only belong together. */
function familiesByName(digests: readonly SnapshotDigest[]): Map<string, SnapshotDigest[]> {
  const families = groupBy(digests, familyOf);
  for (const [key, family] of [...families]) {
    if (family.length < 2 || !family.every(isNamedBySize)) continue;
    families.delete(key);
    for (const digest of family) families.set(digest.path, [digest]);
  }
  return families;
}

const isNamedBySize = factOf((digest: SnapshotDigest): boolean => {
  const number = stepOf(digest.path) === null ? counterOfDigest(digest) : null;
  return number !== null && number >= MIN_SIZE && Number.isInteger(Math.log2(number));
});

/**
 * Differently named snapshots of one folder belong together if their contents prove them to be of one process. The
 * recorder's runs remain apart: what a process does after its training is a run of its own.
 */
function mergeFamilies(families: ReadonlyMap<string, SnapshotDigest[]>): Map<string, SnapshotDigest[]> {
  const merged = new Map<string, SnapshotDigest[]>();
  /** Snapshots of one rank in one folder. */
  const kin = new Map<string, SnapshotDigest[][]>();
  for (const [key, members] of families) {
    const place = `${rankOfDigest(members[0])} ${folderOf(key)}`;
    const known = kin.get(place) ?? [];
    const isRecorded = recordedFamily(members[0]) !== null;
    const home = known
      .slice(-MAX_COMPARED)
      .filter(([other]) => !isRecorded || recordedFamily(other) === null)
      .find((others) => outermost(others).some((a) => outermost(members).some((b) => provesOneProcess(a, b))));
    if (home !== undefined) for (const member of members) home.push(member);
    else {
      merged.set(key, members);
      kin.set(place, known);
      known.push(members);
    }
  }
  return merged;
}

/** The most informative members of a family, and its latest. */
function outermost(family: readonly SnapshotDigest[]): SnapshotDigest[] {
  const first = family[0];
  const last = family[family.length - 1];
  return first === last ? [first] : [first, last];
}

/** Jobs that wrote into one folder at the same time under the same names. */
function processesOf(family: readonly SnapshotDigest[]): SnapshotDigest[][] {
  const processes: SnapshotDigest[][] = [];
  for (const digest of [...family].sort((a, b) => (a.takenAtUs ?? 0) - (b.takenAtUs ?? 0))) {
    const open = processes.filter((members) => !provesTwoProcesses(members[members.length - 1], digest));
    const proved = (members: readonly SnapshotDigest[]): boolean =>
      provesOneProcess(members[members.length - 1], digest);
    const own = open.length === processes.length ? open.at(0) : (open.find(proved) ?? open.at(0));
    if (own === undefined) processes.push([digest]);
    else own.push(digest);
  }
  return processes;
}

/** The recorder names the run; its snapshots with and without traces belong together. */
function recordedFamily({ path, recording }: SnapshotDigest): string | null {
  if (recording === null || recording.run === '') return null;
  const file = recording.rank === null ? recording.run : `${recording.run} rank${recording.rank}`;
  return folderOf(path.replaceAll('\\', '/')) + file;
}

/** Excludes a number that the user calls a rank. Snapshots put into one file need not be of one process. */
const familyOf = factOf((digest: SnapshotDigest): string => {
  const { path, rank } = digest;
  const recorded = recordedFamily(digest);
  if (recorded !== null || splitMember(path) !== null) return recorded ?? path;
  return rank === null ? patternOf(path) : `${patternOf(path)} rank${rank}`;
});

/** The rank of a snapshot: from the user's pattern, the recorder, or the name. */
export const rankOfDigest = factOf(
  ({ path, rank, recording }: SnapshotDigest): number | null => rank ?? recording?.rank ?? rankOf(path),
);

/** The best that orders all snapshots of a run. */
function orderOf(members: readonly SnapshotDigest[]): RunOrder {
  const all = (value: (digest: SnapshotDigest) => number | null): boolean =>
    members.every((digest) => value(digest) !== null);
  const steps = stepsOfMembers(members);
  const isCounted = !steps.includes(null) && new Set(steps).size > members.length / 2;
  const isTimed = all(({ takenAtUs }) => takenAtUs);
  if (isCounted && !(isTimed && contradictsTimes(members, steps))) return 'steps';
  if (isTimed) return 'times';
  if (all(({ path }) => timeOfName(path))) return 'namedTimes';
  if (all(({ savedAtUs }) => savedAtUs)) return 'savedTimes';
  return 'names';
}

function contradictsTimes(members: readonly SnapshotDigest[], steps: readonly (number | null)[]): boolean {
  const byStep = members.map((_, i) => i).sort((a, b) => (steps[a] ?? 0) - (steps[b] ?? 0));
  const times = byStep.map((i) => members[i].takenAtUs ?? 0);
  const back = times.filter((time, i) => i > 0 && time < times[i - 1]).length;
  return back > BACKWARDS.steps && back > BACKWARDS.share * members.length;
}

function bySequence(order: RunOrder): (a: SnapshotDigest, b: SnapshotDigest) => number {
  const placeOf = (digest: SnapshotDigest): number | null =>
    order === 'steps'
      ? (stepOfDigest(digest) ?? counterOfDigest(digest))
      : order === 'namedTimes'
        ? timeOfName(digest.path)
        : order === 'savedTimes'
          ? digest.savedAtUs
          : null;
  const difference = (a: number | null, b: number | null): number => (a === null || b === null ? 0 : a - b);
  return (a, b) =>
    difference(placeOf(a), placeOf(b)) ||
    difference(a.takenAtUs, b.takenAtUs) ||
    a.path.localeCompare(b.path, 'en', { numeric: true });
}

/** A later step that was taken earlier is left over from a former run that wrote the same names. */
function splitByTime(ordered: readonly SnapshotDigest[]): SnapshotDigest[][] {
  const parts: SnapshotDigest[][] = [];
  let before: Microseconds | null = null;
  for (const digest of ordered) {
    const goesBack = before !== null && digest.takenAtUs !== null && digest.takenAtUs < before;
    if (parts.length === 0 || goesBack) parts.push([]);
    parts[parts.length - 1].push(digest);
    before = digest.takenAtUs ?? before;
  }
  return parts;
}
