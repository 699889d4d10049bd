/** Every text that the timeline shows, in one place. */
import type { TimelineAxis, TimelineMark } from '../src/protocol/timelineData.js';
import { formatDuration } from './duration.js';
import { formatBytes, formatCount, formatExactBytes } from './format.js';

const plural = (count: number, one: string, many: string): string =>
  `${formatCount(count)} ${count === 1 ? one : many}`;

/** Stands before the name of a mark, and alone where there is no name. */
export const MARK_SIGNS: Record<TimelineMark['kind'], string> = { snapshot: '▼', outOfMemory: '✖', step: '' };

export const MARK_NAMES: Record<TimelineMark['kind'], string> = {
  snapshot: 'Snapshot',
  outOfMemory: 'Out of memory',
  step: 'Step',
};

export const strings = {
  title: 'GPU memory timeline',

  // Controls
  controls: 'Timeline controls',
  snapshot: 'Snapshot',
  device: 'Device',
  deviceName: (device: number): string => `cuda:${device}`,
  axis: 'Horizontal axis',
  axisName: { time: 'Time', events: 'Events' } satisfies Record<TimelineAxis, string>,
  zoomIn: 'Zoom in',
  zoomOut: 'Zoom out',
  wholeHistory: 'Whole history',
  wholeHistoryHint: 'Show the whole history (Home, or double-click on the curve)',
  asTable: 'Curve as a table',
  loading: 'Loading',

  // The chart
  chart: 'Memory timeline',
  chartRole: 'memory timeline',
  chartHelp:
    'Left and right arrows move from point to point, with Control by twenty; with Shift they move the view. ' +
    'Up goes to the highest point in view. Plus and minus zoom, Home shows the whole history. ' +
    'Enter lists what is live at the point; Enter again, or Control and Enter, opens its largest line.',
  chartHint:
    'Click: what is live there · Click again, or Ctrl/Cmd-click: open its largest line · Wheel or drag: zoom · Shift-drag: move',
  live: 'Live',
  reserved: 'Reserved',
  unknown: 'not known',
  capacityOf: (bytes: number): string => `Capacity ${formatBytes(bytes)}`,
  peakOf: (bytes: number): string => `Highest in view: ${formatBytes(bytes)}`,
  toPeak: 'Look into it',
  toPeakHint: 'List what is live at the highest point in view',
  axisTitle: {
    time: (unit: string): string => `Time since the first event (${unit})`,
    events: 'Allocator event',
  },
  mark: ({ kind, label }: Pick<TimelineMark, 'kind' | 'label'>): string =>
    label === '' ? MARK_NAMES[kind] : `${MARK_NAMES[kind]}: ${label}`,
  instant: (timeUs: number | null, event: number): string =>
    timeUs === null ? `event ${formatCount(event)}` : `${formatDuration(timeUs)}, event ${formatCount(event)}`,
  noEvents:
    'This snapshot has no history: it was not recorded while the memory was used. The list shows what was live when it was taken.',

  // The curve as a table
  curveTable: 'The visible curve: its ends, its highest peaks and its marks',
  columnPoint: 'Point',
  columnInstant: 'Instant',
  columnAction: 'Look into',
  pointStart: 'Start of the view',
  pointEnd: 'End of the view',
  pointLowest: 'Lowest',
  pointHighest: 'Highest',
  pointPeak: 'Peak',
  lookInto: 'What is live here',
  lookIntoAt: (where: string): string => `What is live here: ${where}`,

  // What is live
  liveHere: 'What is live here, by line',
  noPin:
    'Click on the curve, or move to a point with the arrow keys and press Enter, to see which lines hold the memory there.',
  columnBytes: 'Bytes',
  columnShare: 'Share',
  columnBlocks: 'Blocks',
  columnLine: 'Line',
  columnFunction: 'Function',
  sortBy: (column: string): string => `Sort by ${column.toLowerCase()}`,
  filter: 'Filter lines',
  filterPlaceholder: 'Filter by file, function or line',
  library: 'Library or native code',
  libraryHint: 'No line of yours is on the stack',
  beforeRecording: 'Before recording',
  beforeRecordingHint: 'Allocated before the recording began',
  noStack: 'No stack recorded',
  noStackHint: 'Allocated where no Python ran, or recorded without stacks',
  unexplained: 'Not explained',
  unexplainedHint: 'The history and the list of blocks disagree by this much',
  notMapped: 'not in this workspace',
  openLine: (file: string, line: number): string => `Open ${file} at line ${line}`,
  pointedOut: 'The line you came from',
  total: 'Total',
  totalIsLive: (bytes: number): string => `= live bytes, ${formatExactBytes(bytes)}`,
  shown: (rows: number, all: number): string => `Shown: ${formatCount(rows)} of ${formatCount(all)}`,
  nothingMatches: 'No line matches the filter.',
  showMore: (count: number): string => `Show ${formatCount(count)} more`,
  atInstant: (instant: string): string => `At ${instant}`,
  atStart: 'Before the first event',
  whenTaken: 'When the snapshot was taken',
  summary: (when: string, live: number, reserved: number | null, lines: number, largest: string | null): string => {
    const amount =
      `${when}: ${formatBytes(live)} live` + (reserved === null ? '' : ` of ${formatBytes(reserved)} reserved`);
    if (largest === null) return `${amount}, none of it held by a line of Python.`;
    return `${amount}, held by ${plural(lines, 'line', 'lines')}, most by ${largest}.`;
  },
  lineWithBytes: (file: string, line: number, bytes: number): string => `${file}:${line} (${formatBytes(bytes)})`,
  nothingMapped: 'No line that is live here is a file of this workspace.',

  // States
  readingSnapshots: 'Reading snapshots…',
  noSnapshots: 'No snapshot yet',
  noSnapshotsHelp:
    'Snapshots in this workspace appear here by themselves. To make one, record in the training script and dump:',
  recordingCode:
    'torch.cuda.memory._record_memory_history()\n# … train …\ntorch.cuda.memory._dump_snapshot("snapshot.pickle")',
  openSnapshot: 'Open Snapshot…',
  retry: 'Retry',
  curveFailed: (reason: string): string => `The curve could not be read: ${reason}`,
  liveFailed: (reason: string): string => `What is live here could not be read: ${reason}`,
  openFailed: (reason: string): string => `The line could not be opened: ${reason}`,
  readyFailed: (reason: string): string => `The snapshots could not be listed: ${reason}`,
} as const;
