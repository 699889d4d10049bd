import { frameKind } from '../attribution/frameKind.js';
import type { HolderRelease, RecordedOwner, RecordedPlace } from '../model/recording.js';
import type { Bytes } from '../model/units.js';
import type { ChanceCounts } from './chanceCounts.js';
import { limit } from './thresholds.js';
import { EXPLAINED } from '../facts/bounds.js';
import { isGrowing, isMostlyGraph, type LineOwner, nameKey, type RecordedLine } from '../facts/recordedFacts.js';
import { groupBy } from '../maps.js';

/** Why the recorder cannot prove a leak yet. */
export type Missing =
  /** The search ran out of time, or its owners do not hold most of the growth. */
  | { readonly kind: 'search' }
  /** Searches or steps of the holder that are still needed. */
  | { readonly kind: 'searches' | 'steps'; readonly more: number }
  /** The oldest of several parts of a holder is gone. */
  | { readonly kind: 'parts' }
  /** The holder freed a part of what it held. */
  | { readonly kind: 'freed'; readonly bytes: Bytes }
  /** A loop around the steps has not repeated twice, or its repetitions are unknown. */
  | { readonly kind: 'loop'; readonly place: RecordedPlace | null }
  /** The repetitions of a loop cannot be counted. */
  | { readonly kind: 'uncounted'; readonly place: RecordedPlace }
  /** Training goes on elsewhere after its only loop. */
  | { readonly kind: 'nextPart'; readonly place: RecordedPlace }
  /** Code of a library stands between the holder and the memory. */
  | { readonly kind: 'library' }
  /** A release may still run. */
  | { readonly kind: 'release'; readonly place: RecordedPlace }
  /** A length is tested, or has not changed although memory grew. */
  | { readonly kind: 'bound'; readonly place: RecordedPlace | null }
  /** Keys may repeat. */
  | { readonly kind: 'keys' }
  /** A loop that trains nothing may collect its result. */
  | { readonly kind: 'result'; readonly place: RecordedPlace };

/**
 * - `chances`: each release had its chance
 * - `pinned`: C++ holds it
 * - `survived`: the collector ran twice without freeing it
 * - `graph`: a graph that no backward pass can use
 * - `stale`: state of an optimizer for parameters that it does not update
 */
export type Proof = 'chances' | 'pinned' | 'survived' | 'graph' | 'stale';

/** What the process showed of the holders of a line's growth: proof that needs no source, or what is missing for it. */
export type Custody =
  | {
      readonly isRetained: true;
      readonly by: Proof;
      readonly searches: number;
      readonly steps: number;
      readonly heldBytes: Bytes;
      readonly loops: readonly Repeated[];
      /** A release that nothing calls although each loop repeated, or that ran and freed nothing of the holder. */
      readonly missed: HolderRelease | null;
      /** The innermost loop that repeated no more often than steps allocated what is held; null for none. */
      readonly roundOf: RecordedPlace | null;
      /** All containers that hold it are outside of networks, such as a list of networks. */
      readonly isOutsideNetworks: boolean;
      /** Further holders that keep the newest memory without these. */
      readonly also: RecordedOwner['also'];
    }
  | { readonly isRetained: false; readonly missing: Missing };

/** A loop around the steps. */
interface Repeated {
  readonly place: RecordedPlace;
  readonly rounds: number;
}

/** The observations of a line that custody depends on. */
interface Growth {
  /** Live bytes of the growing part of the line, one per snapshot. */
  readonly bytes: readonly Bytes[];
  /** Steps that allocated survivors, and all steps; null without lifetimes. */
  readonly births: { readonly steps: number; readonly of: number } | null;
  readonly lastStep: number | null;
  /** The loops around the loop of the steps. */
  readonly counts: Pick<ChanceCounts, 'roundsSince' | 'uncounted'>;
  /** Where training goes on after its only loop. */
  readonly nextPart: RecordedPlace | null;
  /** True if an optimizer changes parameters in each step. */
  readonly isOptimized: boolean;
  /** The loop whose rounds are steps, where no optimizer steps; null for others. */
  readonly evaluation: RecordedPlace | null;
}

/** Types of containers whose items have keys that may repeat. */
const KEYED = /dict|Dict|cache|Cache|Counter/;

/** Types of containers that are parts of a network. */
const NETWORK = /^(?:Module|Parameter)(?:List|Dict)$/;

/** @returns null without a recording that shows custody */
export function custodyOf(line: RecordedLine, growth: Growth): Custody | null {
  const { holder, owners, isComplete, lastSearch } = line;
  if (holder?.owner.custody == null) return null;
  const growing = owners.filter((one) => isGrowing(one) || isLongerEachTime(one, growth));
  const explained = growing.reduce((sum, { bytes }) => sum + bytes, 0);
  const missing = (what: Missing): Custody => ({ isRetained: false, missing: what });
  // Blocks of the last steps are too young for the search.
  const min = EXPLAINED * (growth.bytes[lastSearch] - Math.min(growth.bytes[0], growth.bytes[lastSearch]));
  if (!isComplete || explained === 0 || explained < min) return missing({ kind: 'search' });
  // The holders that together explain the growth must all have kept what they held.
  const deciding = decidingOwners(growing, Math.max(min, EXPLAINED * explained));
  const records = deciding.map(({ owner }) => owner.custody).filter((custody) => custody !== null);
  if (records.length < deciding.length) return missing({ kind: 'search' });
  // The search for what may release them ran out of time.
  if (deciding.some(({ owner }) => owner.releases === null)) return missing({ kind: 'search' });
  const held = records.reduce((sum, record) => sum + record.heldBytes, 0);
  const freed = records.reduce((sum, { freedBytes }) => sum + freedBytes, 0);
  const isLonger = deciding.every((one) => !isGrowing(one));
  if (freed > limit('freedShare') * held && !isLonger) return missing({ kind: 'freed', bytes: freed });
  const holders = [...groupBy(deciding, nameKey).values()];
  if (!isLonger && holders.some(hasLostParts)) return missing({ kind: 'parts' });
  const searches = Math.min(
    ...holders.map((parts) => Math.max(...parts.map(({ owner }) => owner.custody?.searches ?? 0))),
  );
  if (searches < limit('custodySearches'))
    return missing({ kind: 'searches', more: limit('custodySearches') - searches });
  const since = Math.max(
    ...holders.map((parts) => Math.min(...parts.map(({ owner }) => owner.custody?.sinceStep ?? Infinity))),
  );
  const steps = (growth.lastStep ?? 0) - since;
  const loops = growth.counts.roundsSince(since);
  if (steps < limit('lastingSteps')) return missing({ kind: 'steps', more: limit('lastingSteps') - steps });
  const heldBytes = isLonger ? deciding.reduce((sum, { owner }) => sum + owner.bytes, 0) : held;
  const releases = deciding.flatMap(({ owner }) => owner.releases ?? []);
  const missed = releases.find(isUncalled) ?? (freed === 0 ? releases.find(isInVain) : undefined) ?? null;
  const also = deciding.flatMap(({ owner }) => owner.also);
  const retained = (by: Proof): Custody => ({
    ...{ isRetained: true, by, searches, steps, heldBytes, missed, also },
    roundOf: loops?.findLast(({ rounds }) => rounds <= (growth.births?.steps ?? Infinity))?.place ?? null,
    isOutsideNetworks: deciding.every(({ owner }) => owner.container !== null && !NETWORK.test(owner.container.type)),
    loops: (loops ?? []).filter(({ rounds }) => rounds > 0),
  });
  if (deciding.every(({ owner }) => owner.pinnedBy !== null)) return retained('pinned');
  if (deciding.every(isStale)) return retained('stale');
  if (deciding.some(({ owner }) => owner.kind === 'cycle')) {
    const survived = records.reduce((sum, { survivedBytes }) => sum + survivedBytes, 0);
    return survived > EXPLAINED * heldBytes ? retained('survived') : missing({ kind: 'searches', more: 1 });
  }
  const mayRelease = releases.some((one) => !isNeverRun(one));
  if (growth.isOptimized && !mayRelease && deciding.every(({ owner }) => isGraphOfOne(owner))) return retained('graph');
  if (loops === null) return missing({ kind: 'loop', place: null });
  const isLasting = deciding.every(({ owner }) => owner.outlivesLoops);
  const counting = loops.filter((loop) => !(isLasting && isWaiting(loop) && isOfLibrary(loop.place)));
  const pending = counting.find(isWaiting);
  if (pending !== undefined) return missing({ kind: 'loop', place: pending.place });
  const { uncounted } = growth.counts;
  if (uncounted.length > 0) return missing({ kind: 'uncounted', place: uncounted[0] });
  const hasRepeated = counting.length > 0;
  const slots = deciding.find(hasFixedLength);
  if (slots !== undefined) return missing({ kind: 'bound', place: slots.place });
  // The length of a container says nothing of items that become larger.
  const mayBeFull = deciding.some((one) => isGrowing(one) || isRising(one.owner.custody?.lengths ?? []));
  const bound = releases.find(
    (one) => one.kind === 'bound' && mayBeFull && !isExceeded(one, deciding) && !isNeverRun(one),
  );
  if (bound !== undefined) return missing({ kind: 'bound', place: bound });
  // Items that each step replaces may be released and added again in each step.
  const isReleased = (one: HolderRelease): boolean => /^(?:clear|take|trim)$/.test(one.kind) && !isNeverRun(one);
  const open = releases.find(
    (one) => (isLonger && isReleased(one)) || isOpenRelease(one, hasRepeated, steps >= limit('oneLoopSteps')),
  );
  if (open !== undefined) return missing({ kind: 'release', place: open });
  if (!hasRepeated) {
    if (growth.nextPart !== null) return missing({ kind: 'nextPart', place: growth.nextPart });
    if (deciding.some(({ owner }) => !owner.isDirect)) return missing({ kind: 'library' });
    const { evaluation } = growth;
    if (evaluation !== null && deciding.every(({ owner }) => isResult(owner, evaluation)))
      return missing({ kind: 'result', place: evaluation });
    const mayRepeat = deciding.some(({ owner }) => !UNIQUE_KEYS.has(owner.items?.kind));
    if (mayRepeat && releases.some(({ kind }) => kind === 'memo')) return missing({ kind: 'keys' });
    const isKeyed =
      mayRepeat && deciding.some(({ owner }) => owner.graphBytes === 0 && KEYED.test(owner.container?.type ?? ''));
    const { births } = growth;
    const isSteady = births !== null && births.steps >= limit('newKeys') * births.of;
    if (isKeyed && !isSteady) return missing({ kind: 'keys' });
    // The recorder read everything that could release a holder whose statement it found; names with numbers may repeat.
    const isRead = deciding.every(({ owner }) => owner.place !== null && !owner.name.endsWith('*'));
    const enough = isRead && counting.length === loops.length ? limit('lastingSteps') : limit('oneLoopSteps');
    if (steps < enough) return missing({ kind: 'steps', more: enough - steps });
  }
  return retained('chances');
}

/**
 * True for one result whose graph goes back over many steps, such as a running loss. Each step of the optimizer changes
 * parameters in place, so the graphs of steps before it cannot be used.
 */
function isGraphOfOne(owner: RecordedOwner): boolean {
  return (
    owner.container === null && isMostlyGraph(owner) && (owner.allocatedSteps?.steps ?? 0) >= limit('lastingSteps')
  );
}

/** True for a variable of the function that runs a loop, if it holds more than views and graphs. */
function isResult({ kind, name, place, items, graphBytes }: RecordedOwner, loop: RecordedPlace): boolean {
  const isHere = place?.file === loop.file && place.line > loop.line;
  return kind === 'local' && !name.includes('.') && isHere && items?.kind !== 'view' && graphBytes === 0;
}

/** True for the state of an optimizer that mostly has replaced parameters. */
function isStale({ owner: { staleKeys, container } }: LineOwner): boolean {
  return staleKeys !== null && 2 * staleKeys > (container?.length ?? Infinity);
}

function isWaiting({ rounds }: Repeated): boolean {
  return rounds < limit('loopRounds');
}

/** True for a loop that knows nothing of the program's objects, such as that of the epochs in a trainer. */
function isOfLibrary({ file }: RecordedPlace): boolean {
  return frameKind(file) === 'library';
}

/** Items whose keys never repeat: objects, of which no two are equal, and the numbers of hooks. */
const UNIQUE_KEYS: ReadonlySet<string | undefined> = new Set(['key', 'state', 'weak', 'hook']);

/** The largest owners that hold a sum of bytes together. */
function decidingOwners(owners: readonly LineOwner[], min: Bytes): readonly LineOwner[] {
  let sum = 0;
  return owners.filter(({ bytes }) => {
    const isNeeded = sum < min || sum === 0;
    sum += bytes;
    return isNeeded;
  });
}

/**
 * True for a holder of several parts whose oldest memory is gone. A part that was freed as a whole has no custody that
 * would show it.
 */
function hasLostParts(parts: readonly LineOwner[]): boolean {
  const first = Math.min(...parts.map(({ owner }) => owner.allocatedSteps?.first ?? Infinity));
  return parts.length > 1 && parts.some(({ sinceFirst }) => sinceFirst === null || sinceFirst < first);
}

/**
 * True for a container that is longer at each search, and whose items replace what they hold in each step, as hooks do, or
 * whose items each step replaces by larger ones. Without an optimizer, that may be the state of one generation.
 */
function isLongerEachTime({ owner, sizes }: LineOwner, { isOptimized }: Growth): boolean {
  return isRising(owner.custody?.lengths ?? []) || (isOptimized && owner.container !== null && isRising(sizes));
}

function isRising(numbers: readonly number[]): boolean {
  return numbers.length >= limit('custodySearches') && numbers.every((one, i) => i === 0 || one > numbers[i - 1]);
}

/** True for a ring or table that is being filled: as many slots as before hold more memory. */
function hasFixedLength({ owner, before }: LineOwner): boolean {
  const { custody, container, graphBytes, allocatedSteps } = owner;
  if (container === null || graphBytes > 0 || custody === null || before === null || before.bytes >= owner.bytes)
    return false;
  // Different steps fill the slots of a ring.
  if (!isGrowing({ owner })) return false;
  // A slot that keeps what several steps have put into it is no slot of a ring.
  if ((allocatedSteps?.steps ?? 0) > container.length) return false;
  return custody.lengths.length > 1 && custody.lengths.every((length) => length === container.length);
}

/** True if the holder is longer than a bound says. */
function isExceeded({ value }: HolderRelease, owners: readonly LineOwner[]): boolean {
  return value !== null && owners.some(({ owner }) => (owner.container?.length ?? 0) > value);
}

/** True for a statement of a function that nothing calls. */
function isNeverRun({ where, hasRun }: HolderRelease): boolean {
  return where === 'uncalled' && hasRun !== true;
}

/** True for a method that has not run. */
export function isUncalled({ kind, where, runs, hasRun }: HolderRelease): boolean {
  return (
    kind === 'method' && hasRun !== true && (where === 'uncalled' || runs === 0 || (runs === null && hasRun === false))
  );
}

/**
 * True for networks, or their optimizers, in a container whose class has a method that releases them and that nothing
 * calls. Layers that extend a network on purpose are not in such a container.
 */
export function isForgotten(custody: Custody | null): boolean {
  return (
    custody?.isRetained === true && custody.isOutsideNetworks && custody.missed !== null && isUncalled(custody.missed)
  );
}

/** True for a method of the holder's class that runs: for other objects, or for nothing that the holder has. */
function isInVain({ kind, where, hasRun, isConditional }: HolderRelease): boolean {
  return kind === 'method' && (where === 'loop' || where === 'framework') && hasRun === true && !isConditional;
}

/** True for a release that may still run. One that ran has freed nothing, so it excuses nothing. */
function isOpenRelease(release: HolderRelease, hasRepeated: boolean, isLong: boolean): boolean {
  const { kind, where, isConditional, runs, hasRun } = release;
  // Recorders before 0.3 listed methods that could release it by their name.
  if (kind === 'bound' || kind === 'memo' || kind === 'cleanup') return false;
  if (isNeverRun(release)) return false;
  if (kind === 'trim') return true;
  if (runs !== null && runs > 0) return false;
  if (where === 'outside') return true;
  // A function that does not run on steps had its turn when the loops around them repeated. The number of steps says nothing
  // about one that a thread or a framework calls.
  if (hasRun === false && (hasRepeated || (isLong && where !== 'framework'))) return false;
  return isConditional || ((where === 'framework' || where === 'uncalled') && !hasRepeated);
}
