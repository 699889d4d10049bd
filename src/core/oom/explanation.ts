/** Out-of-memory messages of a log, explained: equal failures are one. */
import { ownerOf, type OwnerLine } from '../attribution/owner.js';
import { mapPaths, type PathRule } from '../attribution/pathMapping.js';
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
  /** The headline, then the evidence. */
  readonly sentences: readonly string[];
}

/** The files that recorded names may be. */
interface NamedFiles {
  readonly files: readonly string[];
  readonly rules: readonly PathRule[];
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

/** Collects the failures of a log: equal messages, and equal failures of several ranks, are one. */
export class FailureList {
  /** Failures that were different from all kept ones, and were too many. */
  leftOut = 0;
  private readonly groups = new Map<string, Group>();
  /** By the numbers alone: a logger repeats a message without its traceback. */
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

  /** In the order of the log. */
  explain(workspace: NamedFiles): OomExplanation[] {
    const groups = [...new Set(this.groups.values())];
    const named = groups.flatMap(({ failure }) => [...failure.frames, ...failure.outerFrames].map(({ file }) => file));
    const mapping = mapPaths(named, workspace.files, workspace.rules);
    return groups.map(({ failure, devices, ranks, count }) => {
      const owner = ownerOf(failure.frames, failure.outerFrames, 'noStack', (file) => mapping.lookup(file));
      const { backend, requestedBytes, capacityBytes, freeBytes, allocatedBytes, unusedBytes, limitBytes } =
        failure.numbers;
      const judgement = judge(failure.numbers);
      const asked = 'line' in owner ? owner.line : null;
      const main = [...failure.outerFrames, ...failure.frames].findLast((frame) => frame.function === '<module>');
      const places = { devices: ascending(devices), ranks: ascending(ranks) };
      return {
        ...judgement,
        backend,
        requestedBytes,
        capacityBytes,
        freeBytes,
        allocatedBytes,
        unusedBytes,
        limitBytes,
        asked,
        program: main === undefined ? null : mapping.lookup(main.file),
        ...places,
        count,
        sentences: sentencesOf(failure.numbers, judgement, { asked, ...places, count }),
      };
    });
  }
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
