/** Out-of-memory messages of a log, explained: equal failures are one. */
import { ownerLineOf, type OwnerLine } from '../attribution/owner.js';
import { type MappedWorkspace, mapPaths } from '../attribution/paths/pathMapping.js';
import { getOrAdd } from '../maps.js';
import type { DigestFrame } from '../model/digestFrame.js';
import { FailureReader, type OomFailure } from './failureReader.js';
import type { OomNumbers } from './message.js';
import { judge, type OomClass, type OomJudgement } from './oomClass.js';
import { sentencesOf } from './oomSentences.js';

export interface OomExplanation
  extends OomJudgement, Omit<OomNumbers, 'backend' | 'device' | 'processBytes' | 'otherBytes'> {
  readonly class: OomClass;
  readonly backend: OomNumbers['backend'];
  /** The line that requested memory; null if no traceback names one. */
  readonly asked: OwnerLine | null;
  /** The file of the workspace that Python ran; null if no traceback names one. */
  readonly program: string | null;
  /** Devices and ranks with this failure, in ascending order; empty if the log names none. */
  readonly devices: readonly number[];
  readonly ranks: readonly number[];
  /** How often it occurred. */
  readonly count: number;
  /** Statements on the way to the request that may keep tensors over steps. */
  readonly candidates: readonly OomCandidate[];
  /** The headline, then the evidence, then the candidates. */
  readonly sentences: readonly string[];
}

/** A statement that the source shows as a possible cause: the message proves nothing. */
export interface OomCandidate {
  readonly file: string;
  readonly line: number;
  /** One sentence. */
  readonly text: string;
}

/** The frames that led to a request, with the workspace's names of its files. */
export interface OomStack {
  readonly asked: OwnerLine;
  /** Innermost first. */
  readonly frames: readonly DigestFrame[];
}

/** Finds the candidates of each stack. */
export type FindCandidates = (stacks: readonly OomStack[]) => Promise<readonly (readonly OomCandidate[])[]>;

/** A failure that is explained by its numbers alone. */
export interface ExplainedFailure {
  readonly explanation: OomExplanation;
  /** Null if nothing before the request is looked for. */
  readonly stack: OomStack | null;
}

/** The failures of a log, and the rank of the process that wrote it; null if its name has none. */
export interface LogOfRank {
  readonly failures: FailureList;
  readonly rank: number | null;
}

/** Distinct failures that are kept; a log of a loop that goes on after each failure has thousands. */
const MAX_DISTINCT = 64;
const MAX_RANKS = 4096;

interface Group {
  failure: OomFailure;
  readonly devices: Set<number>;
  readonly ranks: Set<number>;
  count: number;
}

/** A group of one or more logs, with the line of the workspace that it names. */
interface PlacedGroup extends Group {
  readonly class: OomClass;
  readonly asked: OwnerLine | null;
  /** True if other ranks requested other sizes than `failure` says. */
  isVaried: boolean;
}

/** Collects the failures of a log: equal messages, and equal failures of several ranks, are one. */
export class FailureList {
  /** Failures that were different from all kept ones, and were too many. */
  leftOut = 0;
  private readonly groups = new Map<string, Group>();
  /** Groups by their numbers: a logger repeats a message without its traceback. */
  private readonly byNumbers = new Map<string, Group>();

  add(failure: OomFailure): void {
    const numbers = JSON.stringify(failure.numbers);
    const key = keyOf(failure);
    const equal = this.byNumbers.get(numbers);
    const same =
      equal !== undefined &&
      (equal.failure.frames.length === 0 || failure.frames.length === 0 || placeOf(equal.failure) === placeOf(failure));
    const known = same ? equal : this.groups.get(key);
    if (known !== undefined) {
      join(known, failure);
      this.byNumbers.set(numbers, known);
      return;
    }
    if (this.groups.size >= MAX_DISTINCT) {
      this.leftOut++;
      return;
    }
    const group: Group = { failure, devices: new Set(), ranks: new Set(), count: 0 };
    join(group, failure);
    this.groups.set(key, group);
    this.byNumbers.set(numbers, group);
  }

  get size(): number {
    return this.groups.size;
  }

  /** In the order of the log. @param rank of failures that name none */
  groupsOf(rank: number | null): Group[] {
    return [...new Set(this.groups.values())].map(({ failure, devices, ranks, count }) => ({
      failure: failure.rank === null ? { ...failure, rank } : failure,
      devices: new Set(devices),
      ranks: new Set(ranks.size === 0 && rank !== null ? [rank] : ranks),
      count,
    }));
  }
}

/** Explains the logs of one job: a failure of several ranks is one. */
export function explainFailures(logs: readonly LogOfRank[], workspace: MappedWorkspace): ExplainedFailure[] {
  const groups = logs.flatMap(({ failures, rank }) => failures.groupsOf(rank));
  const named = groups.flatMap(({ failure }) => [...failure.frames, ...failure.outerFrames].map(({ file }) => file));
  const mapping = mapPaths(named, workspace);
  const lookup = (file: string): string | null => mapping.lookup(file);
  const placed = groups.map((group) => {
    const { frames, outerFrames, numbers } = group.failure;
    const asked = ownerLineOf(frames, outerFrames, lookup);
    return { ...group, class: judge(numbers).class, asked, isVaried: false };
  });
  return joinRanks(placed).map((group) => {
    const { failure, asked, count, isVaried } = group;
    const { numbers } = failure;
    const { backend, requestedBytes, capacityBytes, freeBytes, allocatedBytes, unusedBytes, limitBytes } = numbers;
    const judgement = judge(numbers);
    const frames = [...failure.frames, ...failure.outerFrames];
    const main = [...failure.outerFrames, ...failure.frames].findLast((frame) => frame.function === '<module>');
    const places = { devices: ascending(group.devices), ranks: ascending(group.ranks) };
    const explanation = {
      ...judgement,
      backend,
      requestedBytes,
      capacityBytes,
      freeBytes,
      allocatedBytes,
      unusedBytes,
      limitBytes,
      asked,
      program: main === undefined ? null : lookup(main.file),
      ...places,
      count,
      candidates: [],
      sentences: sentencesOf(numbers, judgement, { asked, ...places, count, shown: isVaried ? failure.rank : null }),
    };
    // A request that no device of that size can serve has no cause before it.
    if (asked?.mapped !== true || group.class === 'tooLarge') return { explanation, stack: null };
    return {
      explanation,
      stack: { asked, frames: frames.map((frame) => ({ ...frame, file: lookup(frame.file) ?? frame.file })) },
    };
  });
}

/** The explanations with the statements that may be the cause. */
export async function withCandidates(
  failures: readonly ExplainedFailure[],
  find: FindCandidates,
): Promise<OomExplanation[]> {
  const found = await find(failures.flatMap(({ stack }) => stack ?? []));
  let next = 0;
  return failures.map(({ explanation, stack }) => {
    const candidates = stack === null ? [] : found[next++];
    return { ...explanation, candidates, sentences: [...explanation.sentences, ...candidates.map(({ text }) => text)] };
  });
}

/** Joins failures of one class that different ranks had at one line. */
function joinRanks(groups: readonly PlacedGroup[]): PlacedGroup[] {
  const byPlace = new Map<string, PlacedGroup[]>();
  return groups.filter((group) => {
    const { asked, ranks, failure } = group;
    if (asked === null || ranks.size === 0) return true;
    const alike = getOrAdd(byPlace, `${group.class} ${asked.line} ${asked.file}`, () => []);
    const numbers = JSON.stringify(failure.numbers);
    const known = alike.find((one) => isDisjoint(one.ranks, ranks) || JSON.stringify(one.failure.numbers) === numbers);
    if (known === undefined) {
      alike.push(group);
      return true;
    }
    if (known.failure.numbers.requestedBytes !== failure.numbers.requestedBytes) known.isVaried = true;
    known.count += group.count;
    addTo(known.devices, group.devices);
    addTo(known.ranks, ranks);
    return false;
  });
}

function isDisjoint(one: ReadonlySet<number>, other: ReadonlySet<number>): boolean {
  return [...other].every((rank) => !one.has(rank));
}

function addTo(set: Set<number>, more: ReadonlySet<number>): void {
  for (const one of more) if (set.size < MAX_RANKS) set.add(one);
}

/** The failures of a text. @param change replaces each */
export function failuresIn(
  text: string,
  change: (failure: OomFailure) => OomFailure = (failure) => failure,
): FailureList {
  const failures = new FailureList();
  const reader = new FailureReader((failure) => failures.add(change(failure)));
  reader.push(text);
  reader.end();
  return failures;
}

/** The sentences as lines of text, with an empty line between two messages. */
export function explanationLines(explanations: readonly OomExplanation[]): string[] {
  return explanations.flatMap(({ sentences: [headline, ...evidence] }, index) => [
    ...(index > 0 ? [''] : []),
    headline,
    ...evidence.map((sentence) => `  ${sentence}`),
  ]);
}

/** Failures of several processes at one place are one; those of one process are as different as their numbers. */
function keyOf(failure: OomFailure): string {
  const { numbers, process, rank } = failure;
  const place = placeOf(failure);
  return process === '' && rank === null
    ? `${JSON.stringify(numbers)}\n${place}`
    : `${numbers.requestedBytes ?? ''} ${judge(numbers).class}\n${place}`;
}

function placeOf({ frames }: OomFailure): string {
  return frames.map(({ file, line }) => `${file}:${line}`).join('\n');
}

function join(group: Group, failure: OomFailure): void {
  const { numbers, rank } = failure;
  group.count++;
  if (numbers.device !== null && group.devices.size < MAX_RANKS) group.devices.add(numbers.device);
  if (rank !== null && group.ranks.size < MAX_RANKS) group.ranks.add(rank);
  if (group.failure.frames.length === 0 && failure.frames.length > 0) group.failure = failure;
}

function ascending(numbers: ReadonlySet<number>): number[] {
  return [...numbers].sort((a, b) => a - b);
}
