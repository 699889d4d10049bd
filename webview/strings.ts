/** Every text that the timeline shows, in one place. */
import type { BandsQuery, Category } from '../src/protocol/bandData.js';
import type { FlameGroup } from '../src/protocol/flameData.js';
import type { ListedBy, TimelineAxis, TimelineMark } from '../src/protocol/timelineData.js';
import { formatDuration } from './duration.js';
import { formatBytes, formatCount, formatExactBytes } from './format.js';
import type { Listing, Pane } from './viewState.js';

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
    'Up goes to the highest point in view. Alt with up and down goes from allocation to allocation at the point. Plus and minus zoom, Home shows the whole history. ' +
    'Enter lists what is live at the point; Enter again, or Control and Enter, opens its largest line, or that of the allocation.',
  chartHint:
    'Click: what is live there, and whose allocation it is · Click again, or Ctrl/Cmd-click: open the line · Wheel or drag: zoom · Shift-drag: move',
  live: 'Live',
  reserved: 'Reserved',
  unknown: 'not known',
  capacityOf: (bytes: number): string => `Capacity ${formatBytes(bytes)}`,
  peakOf: (bytes: number): string => `Highest in view: ${formatBytes(bytes)}`,
  toPeak: 'Look into it',
  toPeakHint: 'List what is live at the highest point in view',
  bandsFailed: (reason: string): string => `The allocations could not be read: ${reason}`,
  axisTitle: {
    time: (unit: string): string => `Time since the first event (${unit})`,
    events: 'Allocator event',
    rows: 'Row of the file',
  },
  mark: ({ kind, label }: Pick<TimelineMark, 'kind' | 'label'>): string =>
    label === '' ? MARK_NAMES[kind] : `${MARK_NAMES[kind]}: ${label}`,
  /** @param isRow the curve has rows of a log, not events of an allocator */
  instant: (timeUs: number | null, event: number, isRow: boolean): string => {
    const place = `${isRow ? 'row' : 'event'} ${formatCount(event)}`;
    return timeUs === null ? place : `${formatDuration(timeUs)}, ${place}`;
  },
  noEvents:
    'This snapshot has no history: it was not recorded while the memory was used. The list shows what was live when it was taken.',

  // Bands
  layer: 'Allocations',
  grouping: 'Colour of the allocations',
  groupingName: {
    line: 'By line',
    file: 'By file',
    stack: 'By stack',
    category: 'By category',
    verdict: 'By verdict',
    age: 'By age',
  } satisfies Record<BandsQuery['grouping'], string>,
  categoryName: {
    parameters: 'Parameters',
    gradients: 'Gradients',
    optimizerState: 'Optimizer state',
    activations: 'Activations',
    inputs: 'Inputs',
    workspace: 'Workspace',
    other: 'Other',
  } satisfies Record<Category, string>,
  spanName: {
    before: 'Before recording',
    kept: 'Alive at the end',
    steps: 'Freed in a later step',
    step: 'Freed within its step',
  },
  verdictName: {
    leak: '▲ Leak',
    filling: '△ Filling or leaking',
    sawtooth: '◢ Freed by the collector',
    periodic: '◿ Freed together, again and again',
    plateau: '▬ Plateau',
    oneOff: '▪ One jump',
    steady: '▬ Steady',
    tooShort: 'Too short to say',
    unjudged: 'Gone at the end',
    library: 'Library or native code',
    beforeRecording: 'Before recording',
  },
  bandKey: 'Colours',
  otherBands: (count: number): string => plural(count, 'thin band', 'thin bands'),
  moreBands: (count: number): string => `and ${formatCount(count)} more`,
  oneAllocation: (bytes: string): string => `${bytes}, one allocation`,
  allocations: (bytes: string, count: string): string => `${bytes} in ${count} allocations`,
  bandLife: (born: number, freed: number | null, age: string | null, several: boolean): string => {
    const since =
      born < 0
        ? 'allocated before the recording'
        : `${several ? 'oldest ' : ''}${age === null ? `born at event ${formatCount(born)}` : `${age} old, born at event ${formatCount(born)}`}`;
    const until = freed === null ? 'alive at the end' : `${several ? 'all ' : ''}freed by event ${formatCount(freed)}`;
    return `${since}, ${until}`;
  },
  inFunction: (name: string): string => `in ${name}`,
  callChain: (calls: string, more: boolean): string => `${calls}${more ? ' ← …' : ''}`,
  bandOfBands: (band: string, at: number, count: number): string =>
    `${band}. Band ${formatCount(at)} of ${formatCount(count)} from the top`,
  bandNotMapped: 'The line of this band is no file of this workspace.',
  pickedBand: (name: string): string => `Picked: ${name}`,
  openBand: 'Open Its Line',
  unpickBand: 'Let Go',
  stackOfBand: 'Stack, innermost first',
  bandTable: 'The visible allocations: one row for each band, the largest first',
  columnBand: 'Band',
  columnHighest: 'Highest',
  columnFirst: 'At the start',
  columnLast: 'At the end',
  columnAllocations: 'Outlined allocations',
  minimap: 'The whole history; drag to move the view',

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

  // Under the chart
  pane: 'Shown under the curve',
  paneName: { list: 'List', flame: 'Flame graph' } satisfies Record<Pane, string>,

  // Flame graph
  flame: 'What is live here, by call',
  flameTree: 'Calls from the outermost down; as wide as the bytes that are live through them',
  flameHelp:
    'Down goes to the largest call below, up to the caller, left and right to the neighbours. Space looks closer, ' +
    'Backspace goes back, Home goes to the top. Enter opens the line.',
  flameHint:
    'Click: look closer · Click again, or Ctrl/Cmd-click: open the line · Keys: arrows, Space looks closer, Backspace goes back, Enter opens the line',
  flameFailed: (reason: string): string => `What is live by call could not be read: ${reason}`,
  foldLibraries: 'Fold library frames',
  flameBack: 'Back',
  flameBackHint: 'Show the caller of what fills the width (Backspace)',
  flameWhole: 'Everything',
  flameWholeHint: 'Show everything that is live (Escape)',
  find: 'Find calls',
  findPlaceholder: 'Function, file or line',
  found: (calls: number, bytes: number, share: string): string =>
    calls === 0
      ? 'No call in view matches.'
      : `${plural(calls, 'call', 'calls')} in view ${calls === 1 ? 'matches' : 'match'}; ${formatBytes(bytes)} (${share}) went through.`,
  flameSummary: (when: string, live: number): string => `${when}: ${formatBytes(live)} live`,
  atTheEnd: 'At the end of the recording',
  everything: 'Everything that is live',
  callGroupName: {
    anyLibrary: 'Library or native code',
    beforeRecording: 'Before recording',
    noStack: 'No stack recorded',
    backward: 'Backward pass of',
  } satisfies Record<FlameGroup, string>,
  unnamedCall: 'no room for its name',
  callAt: (name: string, file: string, line: number): string =>
    line > 0 ? `${name}, ${file}:${line}` : `${name}, ${file}`,
  mergedCalls: (count: number): string => `${formatCount(count)} more`,
  callNumbers: (bytes: number, share: string, blocks: number | null): string => {
    const numbers = `${formatBytes(bytes)} (${formatExactBytes(bytes)})${share === '' ? '' : `, ${share} of what is live`}`;
    return blocks === null ? numbers : `${numbers}, ${plural(blocks, 'block', 'blocks')}`;
  },
  callSelf: (bytes: number): string => `allocated by the call itself: ${formatBytes(bytes)}`,
  callFound: 'found',
  callNotMapped: 'This call is no line of a file of this workspace.',

  // What is live
  listing: 'What the list shows',
  listingName: { live: 'Live at the pin', born: 'Born in view, still alive' } satisfies Record<Listing, string>,
  listingHeading: {
    live: 'What is live here',
    born: 'What was born in view and is still alive',
  } satisfies Record<Listing, string>,
  listedBy: 'Rows of the list',
  listedByName: { line: 'By line', stack: 'By stack' } satisfies Record<ListedBy, string>,
  nothingBorn: 'Nothing happens in view.',
  bornSummary: (
    sums: { aliveBytes: number; aliveBlocks: number; bornBytes: number; bornBlocks: number },
    lines: number,
    largest: string | null,
  ): string => {
    const born = `${formatBytes(sums.bornBytes)} in ${plural(sums.bornBlocks, 'allocation', 'allocations')} were born in view`;
    if (sums.aliveBlocks === 0) return `${born}; none is alive at the end.`;
    const alive = `${born}; ${formatBytes(sums.aliveBytes)} in ${formatCount(sums.aliveBlocks)} are alive at the end`;
    return largest === null ? `${alive}.` : `${alive}, of ${plural(lines, 'line', 'lines')}, most of ${largest}.`;
  },
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
  totalIsAlive: (bytes: number): string => `= born in view and alive at the end, ${formatExactBytes(bytes)}`,
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
