import type { Retention } from '../../retention/releases.js';
import type { Chance, KnownBound } from '../../facts/evidence.js';
import { isMostlyGraph, PASSING_STEPS } from '../../facts/recordedFacts.js';
import type { RecordedOwner } from '../../model/recording.js';
import { isEmptied, isOfFew, isSeldom, type Knowledge, type LineFeatures } from '../../verdict/features.js';
import type { ObservedLine } from './observedLine.js';
import type { ObservedRun } from './observedRun.js';
import type { Holder, Remedy } from '../remedy/holder.js';

/** The source's evidence on a line. */
export interface SourceFinding {
  /** The recorder's holder, else the source's; null if neither knows one. */
  readonly holder: Holder | null;
  /** The source's remedy; null unless the source shows that holder. */
  readonly remedy: Remedy | null;
  readonly bound: KnownBound | null;
  /** Null where the source was not followed, or is another one than that which ran. */
  readonly retention: Retention | null;
  /** The source shows the holder, at least until a release. */
  readonly showsHolder: boolean;
  /** The holder's name is computed: so may be that of any release. */
  readonly isComputed: boolean;
  /** Items are put under keys of which each is another one than all before. */
  readonly hasNewKeys: boolean;
  /** A graph holds the memory, which no container's length bounds, the traceback of a stored error, or a hook; else null. */
  readonly through: LineFeatures['through'];
  /** The line is in an optimizer of the workspace. */
  readonly isOfOptimizer: boolean;
}

/** Names of optimizers. */
const OPTIMIZER = /(?:^|[._])opt(?:im|imizer)?s?(?:_|$)/i;

/**
 * The chances of release for a line.
 * @param finding null without source
 * @param isStateOfParameters true if the run's optimizer state may be that of its parameters
 */
export function featuresOf(
  line: ObservedLine,
  finding: SourceFinding | null,
  run: ObservedRun,
  wasProved: boolean,
  isStateOfParameters: boolean,
): LineFeatures {
  const holder = finding?.holder ?? line.holder;
  const isShown = finding?.remedy != null;
  const isRare = isAddedSeldom(line, finding);
  const through = throughOf(line.recorded.holder?.owner ?? null, finding);
  const { shape, isInCycle, isAccumulating, isMinorGarbage, births, category, custody, isUnheld, lastStep } = line;
  return {
    ...{ shape, isInCycle, isAccumulating, isMinorGarbage, births, category, custody, isUnheld, lastStep },
    isMinorGrowth: line.isMinorGrowth,
    survivors: line.seen?.survivors ?? 0,
    isEmptied: line.seen !== null && isEmptied(line.seen),
    isStateOfParameters: (category === 'optimizerState' && isStateOfParameters) || finding?.isOfOptimizer === true,
    isHeldBySource: holder !== null && isShown && !OPTIMIZER.test(holder.name),
    isHolderSure: holder !== null && (holder.source !== 'recorder' || isShown),
    bound: line.bound ?? finding?.bound ?? null,
    chances:
      finding?.retention == null ? countedChances(line) : chancesOf(finding.retention, finding, line, run, isRare),
    knowledge: knowledgeOf(finding, line),
    through,
    isAddedSeldom: isRare,
    isThroughGraph: finding?.through === 'graph' || through === 'graph',
    wasProved,
  };
}

/** True if few steps allocate what stays, or if the source may add it once per round, and the program may work with it. */
function isAddedSeldom({ births }: ObservedLine, finding: SourceFinding | null): boolean {
  if (finding?.retention?.readsLastOnly === true) return false;
  const isOfRounds = finding?.retention?.isAddedSeldom === true;
  if (births === null) return isOfRounds;
  return isSeldom(births) || (isOfFew(births) && (finding === null || isOfRounds));
}

/** As the recorder saw it. Where it saw no holder, the source shows errors and hooks. */
function throughOf(owner: RecordedOwner | null, finding: SourceFinding | null): LineFeatures['through'] {
  if (owner === null) return finding === null || finding.through === 'graph' ? null : finding.through;
  return owner.kind === 'traceback' ? 'traceback' : isMostlyGraph(owner) ? 'graph' : null;
}

function knowledgeOf(finding: SourceFinding | null, { recorded: { holder }, seen }: ObservedLine): Knowledge {
  if (finding?.retention == null) return 'nothing';
  // More is live than the bounded container that the source shows can hold, so another one holds it.
  if (finding.holder === null && finding.retention.bounds.some((bound) => isOutgrown(bound, seen))) return 'noHolder';
  // Directly in a container that a statement of the workspace names.
  const isInContainer =
    holder !== null &&
    holder.isMapped &&
    holder.owner.container !== null &&
    (holder.owner.kind !== 'attribute' || /[.[]/.test(holder.owner.name));
  return (finding.showsHolder || isInContainer) && !finding.isComputed ? 'known' : 'noHolder';
}

/** The loops that the recorder counted, for a line without source. There may be other loops. */
function countedChances(line: ObservedLine): Chance[] {
  return (line.loops ?? []).filter(({ state }) => state === 'pending');
}

/** True if more steps allocated what is live than a container with this bound can have items of. */
export function isOutgrown({ value }: Pick<Retention['bounds'][number], 'value'>, seen: ObservedLine['seen']): boolean {
  return value !== null && (seen?.birthSteps ?? 0) > value;
}

/** The events that may release the memory of the line. */
function chancesOf(
  retention: Retention,
  finding: SourceFinding,
  observed: ObservedLine,
  run: ObservedRun,
  isRare: boolean,
): Chance[] {
  const { seen } = observed;
  const { holder } = finding;
  const loops = observed.loops ?? [];
  // If the source shows the holder, an iteration releases the memory only by a statement.
  const chances = loops.filter(({ state }) => state === 'passed' || !finding.showsHolder);
  const hasRepeated = loops.length > 0 && loops.every(({ state }) => state === 'passed');
  // Memory of the last steps alone may be released on each step, and only be larger each time.
  const isOlder = (observed.births?.steps ?? Infinity) > PASSING_STEPS;
  for (const { file, line, where, isConditional } of retention.releases) {
    const place = { file, line };
    const counted = isOlder ? run.counts.release(place, observed.allocatedAt) : null;
    const ran = isOlder && !isConditional && (where === 'step' || (where === 'enclosing' && hasRepeated));
    chances.push(counted ?? { kind: 'release', state: ran ? 'passed' : 'pending', place, times: null });
  }
  for (const bound of retention.bounds) {
    const { file, line, kind, isFollowed } = bound;
    const place = { file, line };
    if (kind === 'keys' || kind === 'running' || kind === 'flag') {
      // If each key is new, the keys never all occur. The graph of an item that is made of the one before grows on.
      if (kind !== 'flag' && (finding.hasNewKeys || hasRepeated)) continue;
      if (kind === 'running' && finding.through === 'graph') continue;
      chances.push({ kind: kind === 'flag' ? 'count' : 'keys', state: 'pending', place, times: null });
      continue;
    }
    // Each item may end a growing graph. The recorder sees bounds of constructors.
    if (kind !== 'graph' && (finding.through === 'graph' || (!isFollowed && holder?.source === 'recorder'))) continue;
    const hasPassed = isOutgrown(bound, seen);
    // The bound of another container says nothing about the holder.
    if (hasPassed && finding.remedy === null) continue;
    chances.push({ kind: 'bound', state: hasPassed ? 'passed' : 'pending', place, times: null });
  }
  // No program keeps graphs, tracebacks or repeated hooks on purpose; views keep more than the results.
  const isKept = finding.through === null && observed.recorded.holder?.owner.items?.kind !== 'view';
  const { read, use } = retention;
  const trainsNothing = (by: { readonly isOfEvaluation: boolean }): boolean => run.countsRounds ?? by.isOfEvaluation;
  if (isKept && read !== null && (isRare || read.isAtTheEnd || trainsNothing(read)))
    chances.push({ kind: 'read', state: 'pending', place: { file: read.file, line: read.line }, times: null });
  if (isKept && use !== null && (isRare || (use.isWhole && trainsNothing(use))))
    chances.push({ kind: 'use', state: 'pending', place: { file: use.file, line: use.line }, times: null });
  if (retention.nextLoop !== null) {
    const { file, line } = retention.nextLoop;
    chances.push({ kind: 'nextLoop', state: 'pending', place: { file, line }, times: null });
  }
  return chances;
}
