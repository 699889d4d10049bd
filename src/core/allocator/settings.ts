import { Action, type Snapshot } from '../model/snapshot.js';
import type { Bytes } from '../model/units.js';

/** The settings of PYTORCH_CUDA_ALLOC_CONF that change where memory is placed. */
export interface AllocatorSettings {
  /** `expandable_segments` */
  readonly isExpandable: boolean;
  /** `max_split_size_mb`: blocks from this size on are not split; infinite by default. */
  readonly maxSplitBytes: Bytes;
  /** `max_non_split_rounding_mb`: how much larger a block that is not split may be than the request. */
  readonly maxRoundingBytes: Bytes;
  /** `roundup_power2_divisions` by power of two from 1 MiB on; below 2 a size is rounded to 512 bytes. */
  readonly divisions: readonly number[];
  /** `garbage_collection_threshold`, a share of the memory that the process may use; 0 turns the collection off. */
  readonly collectionShare: number;
  /** `large_segment_size_mb`: segment for requests from 1 to 10 MiB, and page of the large expandable segments. */
  readonly largeSegmentBytes: Bytes;
}

const MIB: Bytes = 1 << 20;
/** Unit of sizes. */
export const GRANULE: Bytes = 512;
/** Powers of two that have divisions of their own: 1 MiB to 32 GiB. */
const INTERVALS = 16;
/** Maximum size of a request that the small pool serves. */
export const MAX_SMALL: Bytes = MIB;
/** Segment and page of the small pool, and unit of large segments. */
export const SMALL_SEGMENT: Bytes = 2 * MIB;
/** Requests from this size on get a segment of their own size. */
const MIN_OWN_SEGMENT: Bytes = 10 * MIB;
const LARGE_SEGMENT: Bytes = 20 * MIB;

export const DEFAULT_SETTINGS: AllocatorSettings = {
  isExpandable: false,
  maxSplitBytes: Infinity,
  maxRoundingBytes: LARGE_SEGMENT,
  divisions: Array<number>(INTERVALS).fill(0),
  collectionShare: 0,
  largeSegmentBytes: LARGE_SEGMENT,
};

/** A comma between brackets belongs to a value. */
const BETWEEN_SETTINGS = /,(?![^[]*\])/;

/** Settings of PyTorch that do not change where memory is placed. */
const WITHOUT_EFFECT =
  /^(?:backend|pinned_.*|release_lock_on_(?:cuda|hip)malloc|graph_capture_record_stream_reuse|throw_on_cudamalloc_oom)$/;

/**
 * Applies settings in the syntax of PYTORCH_CUDA_ALLOC_CONF, such as `expandable_segments:True,max_split_size_mb:128`.
 * @throws RangeError with a sentence, for a setting that is unknown or out of range
 */
export function withSettings(base: AllocatorSettings, text: string): AllocatorSettings {
  let settings = base;
  for (const part of text.split(BETWEEN_SETTINGS)) {
    if (part.trim() === '') continue;
    const [, name = '', value = ''] = /^\s*(\w+)\s*:\s*(.*?)\s*$/.exec(part) ?? [];
    settings = withSetting(settings, name, value, part.trim());
  }
  return settings;
}

function withSetting(settings: AllocatorSettings, name: string, value: string, part: string): AllocatorSettings {
  const wrong = (takes: string): RangeError => new RangeError(`${name} takes ${takes}, not '${value}'.`);
  const mebibytes = (min: number): Bytes => {
    if (!/^\d{1,9}$/.test(value) || Number(value) < min) throw wrong(`a whole number of MiB, at least ${String(min)}`);
    return Number(value) * MIB;
  };
  switch (name) {
    case 'expandable_segments':
      if (value !== 'True' && value !== 'False') throw wrong('True or False');
      return { ...settings, isExpandable: value === 'True' };
    case 'max_split_size_mb':
      return { ...settings, maxSplitBytes: mebibytes(LARGE_SEGMENT / MIB) };
    case 'max_non_split_rounding_mb':
      return { ...settings, maxRoundingBytes: mebibytes(LARGE_SEGMENT / MIB) };
    case 'large_segment_size_mb':
      return { ...settings, largeSegmentBytes: mebibytes(2) };
    case 'garbage_collection_threshold': {
      const share = Number(value);
      if (value === '' || !(share > 0 && share < 1)) throw wrong('a number between 0 and 1');
      return { ...settings, collectionShare: share };
    }
    case 'roundup_power2_divisions': {
      const divisions = divisionsOf(value);
      if (divisions === null) throw wrong('a power of two, or a list such as [256:1,512:2,>:4]');
      return { ...settings, divisions };
    }
    default:
      if (WITHOUT_EFFECT.test(name)) return settings;
      throw new RangeError(
        `'${part}' is no setting that changes where memory is placed: name one such as expandable_segments:True.`,
      );
  }
}

/** The divisions by interval, null if the text is invalid. */
function divisionsOf(text: string): number[] | null {
  if (isPowerOfTwo(text)) return Array<number>(INTERVALS).fill(Number(text));
  const list = /^\[(.*)\]$/.exec(text)?.[1];
  if (list === undefined) return null;
  const divisions = Array<number>(INTERVALS).fill(0);
  let last = 0;
  let isFirst = true;
  for (const part of list.split(',')) {
    const [, from = '', value = ''] = /^\s*(>|\d+)\s*:\s*(\d+)\s*$/.exec(part) ?? [];
    if (value !== '0' && !isPowerOfTwo(value)) return null;
    if (from === '>') divisions.fill(Number(value), last);
    else {
      if (!isPowerOfTwo(from)) return null;
      last = Math.min(INTERVALS - 1, powerOf(Number(from)));
      // The first value also holds for all smaller sizes.
      divisions.fill(Number(value), isFirst ? 0 : last, last + 1);
      isFirst = false;
    }
  }
  return divisions;
}

function isPowerOfTwo(text: string): boolean {
  return /^\d{1,6}$/.test(text) && Number.isInteger(Math.log2(Number(text)));
}

/** The settings of the recording. A snapshot before 2.3 has none: its segments show whether they can expand. */
export function recordedSettings({ settings, segments, events, segmentEvents }: Snapshot): AllocatorSettings {
  let found = DEFAULT_SETTINGS;
  for (const part of confOf(settings).split(BETWEEN_SETTINGS)) {
    try {
      found = withSettings(found, part);
    } catch (error) {
      // A later release has settings that this table lacks; the replay shows whether they matter.
      if (!(error instanceof RangeError)) throw error;
    }
  }
  const {
    expandable_segments: expandable,
    max_split_size: split,
    garbage_collection_threshold: share,
  } = settings ?? {};
  const divisions = settings?.['roundup_power2_divisions'];
  const isExpandable =
    typeof expandable === 'boolean'
      ? expandable
      : segments.isExpandable.subarray(0, segments.count).includes(1) ||
        segmentEvents.event.some((event) => events.action[event] === Action.SegmentMap);
  return {
    ...found,
    isExpandable,
    maxSplitBytes: typeof split === 'number' && split > 0 ? split : found.maxSplitBytes,
    collectionShare: typeof share === 'number' && share > 0 && share < 1 ? share : found.collectionShare,
    divisions:
      typeof divisions === 'object' && divisions !== null
        ? found.divisions.map((_, power) => Number(divisions[String(2 ** power)] ?? 0))
        : found.divisions,
  };
}

/** Where PyTorch looks for its settings. */
const VARIABLES = ['PYTORCH_CUDA_ALLOC_CONF', 'PYTORCH_ALLOC_CONF', 'PYTORCH_HIP_ALLOC_CONF'] as const;

/** The variable of the environment as the recording has it. */
export function confOf(settings: Snapshot['settings']): string {
  return variableOf(settings)?.value ?? '';
}

function variableOf(settings: Snapshot['settings']): { name: string; value: string } | null {
  for (const name of VARIABLES) {
    const value = settings?.[name];
    if (typeof value === 'string' && value !== '') return { name, value };
  }
  return null;
}

/** The assignment of the variable with one more setting, in place of its recorded value; for a shell or a `.env` file. */
export function assignmentWith(settings: Snapshot['settings'], setting: string): string {
  const { name, value } = variableOf(settings) ?? { name: VARIABLES[0], value: '' };
  const nameOf = (part: string): string => part.split(':')[0].trim();
  const others = value.split(BETWEEN_SETTINGS).filter((part) => part.trim() !== '' && nameOf(part) !== nameOf(setting));
  const text = [...others, setting].map((part) => part.trim()).join(',');
  return `${name}=${/^[\w:.,]+$/.test(text) ? text : `"${text}"`}`;
}

/** The block for a request, before the question whether a found block is split. */
export function roundedSize(size: Bytes, { divisions }: AllocatorSettings): Bytes {
  if (size < GRANULE) return GRANULE;
  const power = powerOf(size);
  const parts = divisions[Math.max(0, Math.min(INTERVALS - 1, power - 20))];
  if (parts > 1 && size > GRANULE * parts) {
    const part = 2 ** (power - powerOf(parts));
    return Math.ceil(size / part) * part;
  }
  return Math.ceil(size / GRANULE) * GRANULE;
}

/** The exponent of the largest power of two in a number from 1 on. */
function powerOf(value: number): number {
  const high = Math.floor(value / 2 ** 32);
  return high > 0 ? 63 - Math.clz32(high) : 31 - Math.clz32(value);
}

/** The segment that is requested from the driver, if segments do not expand. @param size rounded */
export function segmentBytes(size: Bytes, { largeSegmentBytes }: AllocatorSettings): Bytes {
  if (size <= MAX_SMALL) return SMALL_SEGMENT;
  if (size < MIN_OWN_SEGMENT) return largeSegmentBytes;
  return Math.ceil(size / SMALL_SEGMENT) * SMALL_SEGMENT;
}
