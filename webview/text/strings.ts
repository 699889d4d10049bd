/** The texts that several places of the page show. All others are in their calls. */
import type { TimelineMark } from '../../src/protocol/timelineData.js';
import { formatDuration } from './duration.js';
import { countText } from '../../src/core/text/numberText.js';
import { bucketText, capitalized } from '../../src/core/present/words.js';
import { t, tCount } from '../../src/core/text/translate.js';
import type { Pane } from '../model/viewState.js';

/** The sign before the name of a mark, or alone. */
export const MARK_SIGNS: Record<TimelineMark['kind'], string> = {
  snapshot: '▼',
  outOfMemory: '✖',
  collector: '◢',
  step: '',
};

export const MARK_NAMES: Record<TimelineMark['kind'], string> = {
  snapshot: t('Snapshot'),
  outOfMemory: t('Out of memory'),
  collector: t('Garbage collector'),
  step: t('Step'),
};

export const strings = {
  snapshot: t('Snapshot'),
  device: t('Device'),
  axis: t('Horizontal axis'),
  loading: t('Loading'),
  chart: t('Memory timeline'),
  live: t('Live'),
  reserved: t('Reserved'),
  unknown: t('not known'),
  axisTitle: {
    time: (unit: string): string => t('Time since the first event ({0})', unit),
    events: t('Allocator event'),
    rows: t('Row of the file'),
  },
  mark: ({ kind, label }: Pick<TimelineMark, 'kind' | 'label'>): string =>
    label === '' ? MARK_NAMES[kind] : `${MARK_NAMES[kind]}: ${label}`,
  /** @param isRow the curve has rows of a log, not events @param stepUs the least difference of times that shows */
  instant: (timeUs: number | null, event: number, isRow: boolean, stepUs?: number): string => {
    const place = isRow ? t('row {0}', countText(event)) : t('event {0}', countText(event));
    return timeUs === null ? place : `${formatDuration(timeUs, stepUs)}, ${place}`;
  },
  atTheEnd: t('At the end of the recording'),
  noEvents: t(
    'This snapshot has no history: recording was off. The list shows the memory that was live when it was taken.',
  ),
  paneName: {
    lines: t('Lines'),
    stacks: t('Stacks'),
    flame: t('Flame Graph'),
    map: t('Memory Map'),
    whatIf: t('What If'),
    table: t('Table'),
  } satisfies Record<Pane, string>,

  // Owners without a line
  library: capitalized(bucketText('library')),
  beforeRecording: capitalized(bucketText('beforeRecording')),
  noStack: capitalized(bucketText('noStack')),
  unjudged: t('Freed at the end'),
  unexplained: t('Not explained'),

  // Tables
  columnShare: t('Share'),
  columnFunction: t('Function'),
  total: t('Total'),
  shown: (rows: number, all: number): string => t('Shown: {0} of {1}', countText(rows), countText(all)),
  openPlace: (place: string): string => t('Open {0}', place),
  hiddenNative: (count: number): string => tCount(count, '1 C++ frame is hidden', '{0} C++ frames are hidden'),
  pinned: `▲ ${t('pinned')}`,
  asRecorded: t('As recorded'),
  restOfSegments: t('All other segments'),

  // Curves over each other
  series: t('Live memory, overlaid'),

  // States
  mapWithoutPlaces: t('This file has no addresses of blocks.'),
  flameFailed: (reason: string): string => t('Live memory by call could not be read: {0}', reason),
  mapFailed: (reason: string): string => t('The memory map could not be read: {0}', reason),
  retry: t('Retry'),
} as const;
