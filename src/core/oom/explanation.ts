/** An out-of-memory message explained: class, numbers, the line that requested memory, and sentences. */
import { ownerOf, type OwnerLine } from '../attribution/owner.js';
import { mapPaths, type PathRule } from '../attribution/pathMapping.js';
import { byteText } from '../text/byteText.js';
import { countText } from '../text/numberText.js';
import { t } from '../text/translate.js';
import { FailureReader, type OomFailure } from './failureReader.js';
import type { OomNumbers } from './message.js';
import { judge, type OomClass, type OomJudgement } from './oomClass.js';

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
/** Ranks that a sentence names. */
const MAX_NAMED = 8;

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

type Place = Pick<OomExplanation, 'asked' | 'devices' | 'ranks' | 'count'>;

function sentencesOf(numbers: OomNumbers, judgement: OomJudgement, place: Place): string[] {
  return [
    ...causeTexts(numbers, judgement),
    requestText(numbers, place),
    ranksText(place),
    ...adviceTexts(numbers, judgement),
  ].filter((text) => text !== '');
}

/** Sums and differences are of the numbers in the message: nothing else is claimed. */
function causeTexts(
  numbers: OomNumbers,
  { class: kind, onlyTipsOver, outsideBytes, shortBytes }: OomJudgement,
): string[] {
  const [requested, capacity] = [numbers.requestedBytes ?? 0, numbers.capacityBytes ?? 0];
  const [allocated, unused] = [numbers.allocatedBytes ?? 0, numbers.unusedBytes ?? 0];
  const free = numbers.freeBytes ?? 0;
  switch (kind) {
    case 'tooLarge':
      return [
        t('The request of {0} is larger than the device, which has {1}.', byteText(requested), byteText(capacity)),
      ];
    case 'fragmentation':
      return [
        t(
          'Fragmentation: {0} is unused in PyTorch’s cache and {1} free on the device, enough for the {2} requested, but not in one piece.',
          byteText(unused),
          byteText(free),
          byteText(requested),
        ),
        onlyTipsOver
          ? t(
              'This request only tips over: {0} of {1} is allocated already, so look for what holds it.',
              byteText(allocated),
              byteText(capacity),
            )
          : '',
      ];
    case 'outside':
      return [
        t(
          'Other memory fills the device: {0} of its {1} is neither free nor PyTorch’s. Without it, the request of {2} would fit.',
          byteText(outsideBytes ?? 0),
          byteText(capacity),
          byteText(requested),
        ),
        ownText(numbers),
      ];
    case 'full':
      return [
        shortBytes === null
          ? t(
              'The device is full: {0} of {1} is allocated, and {2} was requested.',
              byteText(allocated),
              byteText(capacity),
              byteText(requested),
            )
          : t(
              'The device is full: even with an empty cache, {0} is missing for the request of {1}.',
              byteText(shortBytes),
              byteText(requested),
            ),
        shortBytes === null
          ? ''
          : t(
              'Of {0}, PyTorch has allocated {1}; {2} is unused in its cache, {3} is free and {4} is outside of PyTorch.',
              byteText(capacity),
              byteText(allocated),
              byteText(unused),
              byteText(free),
              byteText(outsideBytes ?? 0),
            ),
      ];
    case 'limit':
      return [
        t(
          'PyTorch is limited to {0}: {1} was in use, and {2} more was requested.',
          byteText(numbers.limitBytes ?? 0),
          byteText(allocated + unused + (numbers.otherBytes ?? 0)),
          byteText(requested),
        ),
        numbers.otherBytes === null ? '' : t('Of it, {0} is not PyTorch’s.', byteText(numbers.otherBytes)),
        numbers.freeBytes === null ? '' : t('The device had {0} free.', byteText(free)),
      ];
    case 'deviceHasRoom':
      return [
        t(
          'The device had {0} free, more than the {1} requested: the numbers do not show why it failed.',
          byteText(free),
          byteText(requested),
        ),
      ];
    case 'inconsistent':
      return [
        free > capacity
          ? t(
              'The numbers contradict each other: {0} is free on a device of {1}. They show no cause.',
              byteText(free),
              byteText(capacity),
            )
          : t(
              'The numbers contradict each other: PyTorch counts {0}, and {1} is free, on a device of {2}. They show no cause.',
              byteText(allocated + unused),
              byteText(free),
              byteText(capacity),
            ),
      ];
    case 'incomplete':
      return [incompleteText(numbers)];
  }
}

function incompleteText({ capacityBytes, freeBytes, allocatedBytes, unusedBytes }: OomNumbers): string {
  if (capacityBytes === null || allocatedBytes === null) return t('The message has too few numbers to show a cause.');
  return unusedBytes === null
    ? t(
        'The message shows no cause: {0} is neither free nor allocated, as PyTorch’s cache or outside of PyTorch.',
        byteText(Math.max(0, capacityBytes - allocatedBytes - (freeBytes ?? 0))),
      )
    : t('The message shows no cause: it does not say how much of the device is free.');
}

/** How much of the memory outside of PyTorch is this process's, where the message says it. */
function ownText({ processBytes, allocatedBytes, unusedBytes, capacityBytes, freeBytes }: OomNumbers): string {
  if (processBytes === null || capacityBytes === null || processBytes > capacityBytes) return '';
  const own = Math.max(0, processBytes - (allocatedBytes ?? 0) - (unusedBytes ?? 0));
  const others = Math.max(0, capacityBytes - processBytes - (freeBytes ?? 0));
  return t('Of it, this process holds {0}, and other processes {1}.', byteText(own), byteText(others));
}

function requestText(numbers: OomNumbers, { asked, devices }: Place): string {
  if (asked === null) return '';
  const line = asked.line > 0 ? `${asked.file}:${asked.line} (${asked.function})` : `${asked.file} (${asked.function})`;
  const { requestedBytes } = numbers;
  if (requestedBytes === null) return t('Requested by {0}.', line);
  return devices.length === 1
    ? t('{0} requested {1} on device {2}.', line, byteText(requestedBytes), devices[0])
    : t('{0} requested {1}.', line, byteText(requestedBytes));
}

function ranksText({ ranks, count }: Place): string {
  const rest = ranks.length - MAX_NAMED;
  const named = ranks.slice(0, MAX_NAMED).join(', ');
  if (ranks.length > 0)
    return rest > 0 ? t('On ranks {0} and {1} more.', named, countText(rest)) : t('On ranks: {0}.', named);
  return count > 1 ? t('It occurred {0} times.', countText(count)) : '';
}

function adviceTexts({ backend, limitBytes }: OomNumbers, { class: kind }: OomJudgement): string[] {
  switch (kind) {
    case 'tooLarge':
      return [t('Make the tensor smaller, or compute it in parts.')];
    case 'fragmentation':
      return [
        t('Record the program: a replay of the snapshot then shows which allocator setting would have avoided it.'),
      ];
    case 'outside':
      return [
        backend === 'CUDA' || backend === null
          ? t('List the processes on the device with `nvidia-smi`.')
          : t('List the processes on the device.'),
      ];
    case 'full':
    case 'incomplete':
      return [t('Record the program until it happens again: the snapshot shows what holds the memory.')];
    case 'limit':
      return [
        backend === 'MPS'
          ? t('The limit is set with `PYTORCH_MPS_HIGH_WATERMARK_RATIO`.')
          : t('The program sets the limit, such as with `set_per_process_memory_fraction`.'),
      ];
    case 'deviceHasRoom':
      return [
        limitBytes === null
          ? t('Check for a process that is forked after CUDA was used, another device, or a limit of the driver.')
          : '',
      ];
    case 'inconsistent':
      return [
        t('Check for another allocator that unmaps pages, or a driver that moves memory to the host, as on Windows.'),
      ];
  }
}
