/** What an out-of-memory message shows, in sentences. */
import type { OwnerLine } from '../attribution/owner.js';
import { byteText, countText } from '../text/numberText.js';
import { placeText } from '../text/pathText.js';
import { t } from '../text/translate.js';
import type { OomNumbers } from './message.js';
import type { OomJudgement } from './oomClass.js';

/** Maximum number of ranks that a sentence names. */
const MAX_NAMED = 8;

/** Where a request failed, and how often. */
interface Place {
  /** The line that requested memory; null if no traceback names one. */
  readonly asked: OwnerLine | null;
  readonly devices: readonly number[];
  readonly ranks: readonly number[];
  readonly count: number;
  /** The rank whose numbers these are, where others differ; else null. */
  readonly shown: number | null;
}

/** The headline, then the evidence. Sums and differences are of the numbers in the message: nothing else is claimed. */
export function sentencesOf(numbers: OomNumbers, judgement: OomJudgement, place: Place): string[] {
  return [
    ...causeTexts(numbers, judgement),
    requestText(numbers, place),
    ranksText(place),
    ...adviceTexts(numbers, judgement),
  ].filter((text) => text !== '');
}

/** Share of the device from which on a request is large. */
const LARGE = 0.25;

/**
 * Why it failed, and what the numbers say about that; some are empty.
 * @param isLost true if no setting of the allocator would have joined the pieces of a fragmented cache
 */
export function causeTexts(numbers: OomNumbers, judgement: OomJudgement, isLost = false): string[] {
  const { requestedBytes: requested, capacityBytes: capacity } = numbers;
  const isLarge = requested !== null && capacity !== null && requested >= LARGE * capacity && requested <= capacity;
  return [
    ...(isLost ? [piecesText(numbers), tippingText(numbers, judgement.onlyTipsOver)] : classTexts(numbers, judgement)),
    isLarge ? t('This request alone is {0} % of the device.', Math.round((100 * requested) / capacity)) : '',
  ];
}

function classTexts(
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
        tippingText(numbers, onlyTipsOver),
      ];
    case 'segment':
      return [
        t(
          'For {0}, PyTorch requests a segment of {1}, and the device had {2} free.',
          byteText(requested),
          byteText(numbers.segmentBytes ?? 0),
          byteText(free),
        ),
        tippingText(numbers, onlyTipsOver),
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
        shortBytes === null || numbers.capacityBytes === null
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

function piecesText({ requestedBytes, unusedBytes, freeBytes }: OomNumbers): string {
  return t(
    '{0} is unused in PyTorch’s cache and {1} free on the device, but no piece of it has {2}.',
    byteText(unusedBytes ?? 0),
    byteText(freeBytes ?? 0),
    byteText(requestedBytes ?? 0),
  );
}

function tippingText({ allocatedBytes, capacityBytes }: OomNumbers, onlyTipsOver: boolean): string {
  return onlyTipsOver
    ? t(
        'This request only tips over: {0} of {1} is allocated already, so look for what holds it.',
        byteText(allocatedBytes ?? 0),
        byteText(capacityBytes ?? 0),
      )
    : '';
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
  const line = placeText(asked);
  const { requestedBytes } = numbers;
  if (requestedBytes === null) return t('Requested by {0}.', line);
  return devices.length === 1
    ? t('{0} requested {1} on device {2}.', line, byteText(requestedBytes), devices[0])
    : t('{0} requested {1}.', line, byteText(requestedBytes));
}

function ranksText({ ranks, count, shown }: Place): string {
  const rest = ranks.length - MAX_NAMED;
  const named = ranks.slice(0, MAX_NAMED).join(', ');
  if (ranks.length > 0) {
    const text = rest > 0 ? t('On ranks {0} and {1} more.', named, countText(rest)) : t('On ranks: {0}.', named);
    return shown === null ? text : `${text} ${t('The numbers are those of rank {0}.', shown)}`;
  }
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
    case 'segment':
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
