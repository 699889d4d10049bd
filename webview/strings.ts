/** Every text that the timeline shows, in one place. */
import type { BandsQuery, Category } from '../src/protocol/bandData.js';
import type { FlameGroup } from '../src/protocol/flameData.js';
import type { PieceKind } from '../src/protocol/mapData.js';
import type { SavedKind } from '../src/protocol/saveData.js';
import type { BeforePart } from '../src/protocol/runData.js';
import type { ListedBy, TimelineAxis, TimelineMark } from '../src/protocol/timelineData.js';
import { formatDuration } from './duration.js';
import { formatBytes, formatCount, formatExactBytes } from './format.js';
import { placeText } from './place.js';
import { t } from './translate.js';
import type { CompareWidth, FixAnswer, SeriesAxis } from '../src/protocol/compareData.js';
import type { FlameMeasure, FlameSort } from './flame/flameState.js';
import type { ComparePane, CompareSort } from './compare/compareState.js';
import type { Listing, Pane, View } from './viewState.js';

const linesText = (count: number): string => (count === 1 ? t('1 line') : t('{0} lines', formatCount(count)));

/** @param born event; negative before the recording */
function bornAt(born: number, age: string | null, several: boolean): string {
  if (born < 0) return t('allocated before the recording');
  const event = formatCount(born);
  if (age === null) return several ? t('oldest born at event {0}', event) : t('born at event {0}', event);
  return several ? t('oldest {0} old, born at event {1}', age, event) : t('{0} old, born at event {1}', age, event);
}

const libraryFrames = (count: number): string =>
  count === 1 ? t('1 library frame') : t('{0} library frames', formatCount(count));

const nativeFrames = (count: number): string =>
  count === 1 ? t('1 C++ frame') : t('{0} C++ frames', formatCount(count));

const freedBy = (event: string, all: boolean): string =>
  all ? t('all freed by event {0}', event) : t('freed by event {0}', event);

/** Stands before the name of a mark, and alone where there is no name. */
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

type MarkFacts = Pick<TimelineMark, 'label' | 'failure' | 'collected'>;

/** What a mark says beside its kind, empty where that is all. */
export function markLabel({ label, failure, collected }: MarkFacts): string {
  if (collected !== undefined) {
    const freed = formatBytes(collected.bytes);
    return collected.blocks === 1
      ? t('{0} freed', freed)
      : t('{0} freed in {1} blocks', freed, formatCount(collected.blocks));
  }
  if (failure === undefined) return label;
  const asked = formatBytes(failure.askedBytes);
  const { deviceFreeBytes } = failure;
  return deviceFreeBytes === null
    ? t('{0} asked for', asked)
    : t('{0} asked for, {1} free', asked, formatBytes(deviceFreeBytes));
}

export const strings = {
  title: t('GPU memory timeline'),

  // Controls
  controls: t('Timeline controls'),
  snapshot: t('Snapshot'),
  device: t('Device'),
  deviceName: (device: number): string => `cuda:${device}`,
  axis: t('Horizontal axis'),
  axisName: { time: t('Time'), events: t('Events') } satisfies Record<TimelineAxis, string>,
  zoomIn: t('Zoom in'),
  zoomOut: t('Zoom out'),
  wholeHistory: t('Whole history'),
  wholeHistoryHint: t('Show the whole history (Home, or double-click on the curve)'),
  allBytes: t('All bytes'),
  allBytesHint: t('Show the whole byte axis (Alt+Home, or double-click on the axis)'),
  asTable: t('Curve as a table'),
  loading: t('Loading'),

  // The chart
  chart: t('Memory timeline'),
  chartRole: t('memory timeline'),
  chartHelp: t(
    'Left and right arrows move from point to point, with Control by twenty; with Shift they move the view. Up goes to the highest point in view. Alt with up and down goes from allocation to allocation at the point. Plus and minus zoom, Home shows the whole history. Alt with plus and minus zooms the byte axis, with page up and page down it moves, Alt and Home shows all of it. Enter lists what is live at the point; Enter again, or Control and Enter, opens its largest line, or that of the allocation.',
  ),
  chartHint: t(
    'Click: what is live there, and whose allocation it is · Click again, or Ctrl/Cmd-click: open the line · Wheel or drag: zoom · Shift-drag: move · Alt-wheel or Alt-drag: zoom the byte axis too',
  ),
  live: t('Live'),
  reserved: t('Reserved'),
  unknown: t('not known'),
  capacityOf: (bytes: number): string => t('Capacity {0}', formatBytes(bytes)),
  peakOf: (bytes: number): string => t('Highest in view: {0}', formatBytes(bytes)),
  toPeak: t('Look into it'),
  toPeakHint: t('List what is live at the highest point in view'),
  bandsFailed: (reason: string): string => t('The allocations could not be read: {0}', reason),
  axisTitle: {
    time: (unit: string): string => t('Time since the first event ({0})', unit),
    events: t('Allocator event'),
    rows: t('Row of the file'),
  },
  stepFromEnd: t('Step, counted back from the last'),
  stepFromEndHint: t('The trace lost its oldest events, and nothing says how many steps went before'),
  mark: (mark: MarkFacts & Pick<TimelineMark, 'kind'>): string => {
    const label = markLabel(mark);
    return label === '' ? MARK_NAMES[mark.kind] : `${MARK_NAMES[mark.kind]}: ${label}`;
  },
  /** @param isRow the curve has rows of a log, not events of an allocator */
  instant: (timeUs: number | null, event: number, isRow: boolean): string => {
    const place = isRow ? t('row {0}', formatCount(event)) : t('event {0}', formatCount(event));
    return timeUs === null ? place : `${formatDuration(timeUs)}, ${place}`;
  },
  noEvents: t(
    'This snapshot has no history: it was not recorded while the memory was used. The list shows what was live when it was taken.',
  ),

  // The overview of a run
  run: t('The whole run'),
  runRole: t('snapshots of the run'),
  runHint: t('Click: show the snapshot that covers the instant · Arrow keys: from snapshot to snapshot'),
  runStep: (step: number): string => t('step {0}', formatCount(step)),
  runBefore: {
    start: t('recorded from its first event on'),
    joined: t('recorded without a gap'),
    gap: t('events before it were not recorded'),
    unrecorded: t('its history was not recorded'),
  } satisfies Record<BeforePart, string>,
  runGapOf: (duration: string): string => t('not recorded for {0} before it', duration),
  runPart: (name: string, at: number, count: number, live: string, before: string): string =>
    t('Snapshot {0} of {1}, {2}: {3} live, {4}', formatCount(at), formatCount(count), name, live, before),
  runNamed: (name: string): string => t('The whole run: {0}', name),
  runSummary: (snapshots: number, first: string, last: string, gaps: number, bare: number): string =>
    [
      t('{0} snapshots, {1} live in the first, {2} in the last', formatCount(snapshots), first, last),
      ...(gaps === 0 ? [] : [t('gaps in the recording (hatched): {0}', formatCount(gaps))]),
      ...(bare === 0 ? [] : [t('without history: {0}', formatCount(bare))]),
    ].join('; '),
  runFailed: (reason: string): string => t('The whole run could not be shown: {0}', reason),
  runTable: t('The whole run: one row for each snapshot'),
  columnSteps: t('Marked steps'),
  columnHistory: t('History'),
  showPart: t('Show'),
  showPartOf: (name: string): string => t('Show the snapshot of {0}', name),

  // Bands
  layer: t('Allocations'),
  grouping: t('Colour of the allocations'),
  groupingName: {
    line: t('By line'),
    file: t('By file'),
    stack: t('By stack'),
    category: t('By category'),
    verdict: t('By verdict'),
    age: t('By age'),
  } satisfies Record<BandsQuery['grouping'], string>,
  categoryName: {
    parameters: t('Parameters'),
    gradients: t('Gradients'),
    optimizerState: t('Optimizer state'),
    activations: t('Activations'),
    inputs: t('Inputs'),
    workspace: t('Workspace'),
    other: t('Other'),
  } satisfies Record<Category, string>,
  spanName: {
    before: t('Before recording'),
    kept: t('Alive at the end'),
    steps: t('Freed in a later step'),
    step: t('Freed within its step'),
  },
  verdictName: {
    leak: t('▲ Leak'),
    growing: t('△ Filling or leaking'),
    cycle: t('◢ Freed by the collector'),
    periodic: t('◿ Freed together, again and again'),
    plateau: t('▬ Plateau'),
    oneOff: t('▪ One jump'),
    steady: t('▬ Steady'),
    tooShort: t('Too short to say'),
    unjudged: t('Gone at the end'),
    library: t('Library or native code'),
    beforeRecording: t('Before recording'),
  },
  bandKey: t('Colours'),
  otherBands: (count: number): string => (count === 1 ? t('1 thin band') : t('{0} thin bands', formatCount(count))),
  moreBands: (count: number): string => t('and {0} more', formatCount(count)),
  oneAllocation: (bytes: string): string => t('{0}, one allocation', bytes),
  allocations: (bytes: string, count: string): string => t('{0} in {1} allocations', bytes, count),
  bandLife: (born: number, freed: number | null, age: string | null, several: boolean): string => {
    const until = freed === null ? t('alive at the end') : freedBy(formatCount(freed), several);
    return `${bornAt(born, age, several)}, ${until}`;
  },
  compiledIn: (region: string): string => t('compiled: {0}', region),
  taggedWith: (metadata: string): string => t('metadata: {0}', metadata),
  inFunction: (name: string): string => t('in {0}', name),
  callChain: (calls: string, more: boolean): string => `${calls}${more ? ' ← …' : ''}`,
  bandOfBands: (band: string, at: number, count: number): string =>
    t('{0}. Band {1} of {2} from the top', band, formatCount(at), formatCount(count)),
  bandNotMapped: t('The line of this band is no file of this workspace.'),
  pickedBand: (name: string): string => t('Picked: {0}', name),
  openBand: t('Open Its Line'),
  unpickBand: t('Let Go'),
  foldedFrames: (library: number, native: number): string =>
    [...(library === 0 ? [] : [libraryFrames(library)]), ...(native === 0 ? [] : [nativeFrames(native)])].join(', '),
  hiddenFrames: (count: number): string =>
    count === 1
      ? t('1 frame is hidden: of the recording itself, of the Python interpreter, or too far out')
      : t(
          '{0} frames are hidden: of the recording itself, of the Python interpreter, or too far out',
          formatCount(count),
        ),
  hiddenNative: (count: number): string =>
    count === 1 ? t('1 C++ frame is hidden') : t('{0} C++ frames are hidden', formatCount(count)),
  stackOfBand: t('Stack, innermost first'),
  bandTable: t('The visible allocations: one row for each band, the largest first'),
  columnBand: t('Band'),
  columnHighest: t('Highest'),
  columnFirst: t('At the start'),
  columnLast: t('At the end'),
  columnAllocations: t('Outlined allocations'),
  minimap: t('The whole history; drag to move the view'),

  // The curve as a table
  curveTable: t('The visible curve: its ends, its highest peaks and its marks'),
  columnPoint: t('Point'),
  columnInstant: t('Instant'),
  columnAction: t('Look into'),
  pointStart: t('Start of the view'),
  pointEnd: t('End of the view'),
  pointLowest: t('Lowest'),
  pointHighest: t('Highest'),
  pointPeak: t('Peak'),
  lookInto: t('What is live here'),
  lookIntoAt: (where: string): string => t('What is live here: {0}', where),

  // Under the chart
  pane: t('Shown under the curve'),
  paneName: { list: t('List'), flame: t('Flame graph'), map: t('Memory map') } satisfies Record<Pane, string>,

  // Flame graph
  flame: t('What is live here, by call'),
  flameTree: t('Calls from the outermost down; as wide as the bytes that are live through them'),
  flameHelp: t(
    'Down goes to the largest call below, up to the caller, left and right to the neighbours. Space looks closer, Backspace goes back, Home goes to the top. Enter opens the line.',
  ),
  flameHint: t(
    'Click: look closer · Click again, or Ctrl/Cmd-click: open the line · Keys: arrows, Space looks closer, Backspace goes back, Enter opens the line',
  ),
  flameFailed: (reason: string): string => t('What is live by call could not be read: {0}', reason),
  foldLibraries: t('Fold library frames'),
  flameAsTable: t('Calls as a table'),
  flameTable: t('Calls from the outermost down, with what is live through each'),
  flameColumn: {
    call: t('Call'),
    self: t('Own bytes'),
    bytes: t('Bytes'),
    blocks: t('Blocks'),
  } satisfies Record<FlameSort, string>,
  columnLevel: t('Level'),
  flameBack: t('Back'),
  flameBackHint: t('Show the caller of what fills the width (Backspace)'),
  flameWhole: t('Everything'),
  flameWholeHint: t('Show everything that is live (Escape)'),
  find: t('Find calls'),
  findPlaceholder: t('Function, file or line'),
  found: (calls: number, bytes: number, share: string): string => {
    if (calls === 0) return t('No call in view matches.');
    return calls === 1
      ? t('1 call in view matches; {0} ({1}) went through.', formatBytes(bytes), share)
      : t('{0} calls in view match; {1} ({2}) went through.', formatCount(calls), formatBytes(bytes), share);
  },
  flameMeasure: t('What the boxes are as wide as'),
  flameMeasureName: { live: t('Live bytes'), mean: t('Bytes × lifetime in view') } satisfies Record<
    FlameMeasure,
    string
  >,
  byteSeconds: (bytes: string): string => `${bytes}·s`,
  byteEvents: (bytes: string): string => t('{0}·events', bytes),
  meanSummary: (mean: number, product: string): string =>
    t('In view: {0} live on average, {1}', formatBytes(mean), product),
  meanNumbers: (mean: number, product: string, share: string, blocks: number | null): string => {
    const numbers = [t('{0} on average', formatBytes(mean)), product];
    if (share !== '') numbers.push(t('{0} of what is live', share));
    if (blocks !== null) numbers.push(blocks === 1 ? t('1 block') : t('{0} blocks', formatCount(blocks)));
    return numbers.join(', ');
  },
  flameSummary: (when: string, live: number): string => t('{0}: {1} live', when, formatBytes(live)),
  atTheEnd: t('At the end of the recording'),
  everything: t('Everything that is live'),
  callGroupName: {
    anyLibrary: t('Library or native code'),
    beforeRecording: t('Before recording'),
    noStack: t('No stack recorded'),
    backward: t('Backward pass of'),
  } satisfies Record<FlameGroup, string>,
  unnamedCall: t('no room for its name'),
  callAt: (name: string, file: string, line: number): string => `${name}, ${placeText(file, line)}`,
  mergedCalls: (count: number): string => t('{0} more', formatCount(count)),
  callNumbers: (bytes: number, share: string, blocks: number | null): string => {
    const numbers = [`${formatBytes(bytes)} (${formatExactBytes(bytes)})`];
    if (share !== '') numbers.push(t('{0} of what is live', share));
    if (blocks !== null) numbers.push(blocks === 1 ? t('1 block') : t('{0} blocks', formatCount(blocks)));
    return numbers.join(', ');
  },
  callSelf: (bytes: number): string => t('allocated by the call itself: {0}', formatBytes(bytes)),
  callFound: t('found'),
  callNotMapped: t('This call is no line of a file of this workspace.'),

  // Memory map
  map: t('Where the memory lies'),
  scrub: t('Instant of the map'),
  scrubHint: t('Drag, or use the arrow keys, to go through time event by event'),
  eventOf: (event: string, events: string): string => t('event {0} of {1}', event, events),
  mapReplayed: (unplaced: number): string =>
    unplaced === 0
      ? t(
          'Replayed backwards from the snapshot: blocks that are gone by then are as large as was asked for, and the pools of segments that were given back are not known.',
        )
      : t(
          'Replayed backwards from the snapshot, where the trace does not add up: {0} have no place. Blocks that are gone by then are as large as was asked for.',
          formatBytes(unplaced),
        ),
  mapGrid: t('Segments, the largest first, each over the whole width with its blocks in the order of their addresses'),
  mapHelp: t('Arrow keys go from block to block and from segment to segment. Enter opens the line of a block.'),
  mapHint: t(
    'Each row is one segment over the whole width · Click: whose block it is · Click again, Ctrl/Cmd-click, or Enter: open the line · Arrow keys move',
  ),
  mapFailed: (reason: string): string => t('Where the memory lies could not be read: {0}', reason),
  mapWithoutPlaces: t('This input does not say where blocks lie in memory.'),
  mapReserved: (segments: number, reserved: number): string =>
    segments === 1
      ? t('{0} reserved in 1 segment', formatBytes(reserved))
      : t('{0} reserved in {1} segments', formatBytes(reserved), formatCount(segments)),
  mapInside: (live: number, free: number, largestFree: number): string =>
    t(
      '{0} live, {1} free inside, the largest piece {2}',
      formatBytes(live),
      formatBytes(free),
      formatBytes(largestFree),
    ),
  mapPinned: (segments: number): string =>
    segments === 1
      ? t('1 large segment is kept for less than a tenth of live blocks')
      : t('{0} large segments are kept for less than a tenth of live blocks', formatCount(segments)),
  otherSegments: (count: number, reserved: number, live: number): string =>
    count === 1
      ? t('and 1 smaller segment: {0} reserved, {1} live', formatBytes(reserved), formatBytes(live))
      : t(
          'and {0} smaller segments: {1} reserved, {2} live',
          formatCount(count),
          formatBytes(reserved),
          formatBytes(live),
        ),
  segmentLabel: (reserved: number, live: number, free: number, largestFree: number): string =>
    free === 0
      ? t('{0}: {1} live, nothing free', formatBytes(reserved), formatBytes(live))
      : t(
          '{0}: {1} live, {2} free, largest {3}',
          formatBytes(reserved),
          formatBytes(live),
          formatBytes(free),
          formatBytes(largestFree),
        ),
  defaultPool: t('default pool'),
  unknownPool: t('pool not recorded'),
  poolNamed: (pool: string): string => t('pool {0}', pool),
  streamNamed: (stream: string): string => (stream === '' ? t('stream not known') : t('stream {0}', stream)),
  segmentKind: { small: t('small'), large: t('large'), expandable: t('expandable') },
  pinned: `▲ ${t('pinned')}`,
  pinnedHint: t('Less than a tenth of it is live, and it cannot be given back for that'),
  pieceName: {
    live: t('Live block'),
    pending: t('Freed, still used by another stream'),
    free: t('Free'),
    mixed: t('Small neighbours'),
    unknown: t('In no block'),
  } satisfies Record<PieceKind, string>,
  pieceText: (name: string, bytes: number): string => `${name}: ${formatBytes(bytes)} (${formatExactBytes(bytes)})`,
  mixedText: (live: number, blocks: number): string =>
    blocks === 1
      ? t('{0} live in 1 block', formatBytes(live))
      : t('{0} live in {1} blocks', formatBytes(live), formatCount(blocks)),
  largestOf: (owner: string): string => t('the largest of {0}', owner),
  pieceNotMapped: t('Here is no block of a line of this workspace.'),
  mapAsTable: t('Segments as a table'),
  segmentTable: t('Segments'),
  columnAddress: t('Address'),
  columnPoolAndKind: t('Pool'),
  columnStream: t('Stream'),
  columnSize: t('Size'),
  poolTable: t('Segments by pool, stream and kind'),
  columnPool: t('Pool, stream and kind'),
  columnSegments: t('Segments'),
  columnFree: t('Free inside'),
  columnLargestFree: t('Largest free'),
  columnPinned: t('Pinned'),

  // What is live
  listing: t('What the list shows'),
  listingName: { live: t('Live at the pin'), born: t('Born in view, still alive') } satisfies Record<Listing, string>,
  listingHeading: {
    live: t('What is live here'),
    born: t('What was born in view and is still alive'),
  } satisfies Record<Listing, string>,
  listedBy: t('Rows of the list'),
  listedByName: { line: t('By line'), stack: t('By stack') } satisfies Record<ListedBy, string>,
  nothingBorn: t('Nothing happens in view.'),
  bornSummary: (
    sums: { aliveBytes: number; aliveBlocks: number; bornBytes: number; bornBlocks: number },
    lines: number,
    largest: string | null,
  ): string => {
    const born =
      sums.bornBlocks === 1
        ? t('{0} in 1 allocation were born in view', formatBytes(sums.bornBytes))
        : t('{0} in {1} allocations were born in view', formatBytes(sums.bornBytes), formatCount(sums.bornBlocks));
    if (sums.aliveBlocks === 0) return t('{0}; none is alive at the end.', born);
    const [bytes, blocks] = [formatBytes(sums.aliveBytes), formatCount(sums.aliveBlocks)];
    return largest === null
      ? t('{0}; {1} in {2} are alive at the end.', born, bytes, blocks)
      : t('{0}; {1} in {2} are alive at the end, of {3}, most of {4}.', born, bytes, blocks, linesText(lines), largest);
  },
  noPin: t(
    'Click on the curve, or move to a point with the arrow keys and press Enter, to see which lines hold the memory there.',
  ),
  columnBytes: t('Bytes'),
  columnShare: t('Share'),
  columnBlocks: t('Blocks'),
  columnLine: t('Line'),
  columnFunction: t('Function'),
  sortBy: (column: string): string => t('Sort by {0}', column),
  filter: t('Filter lines'),
  filterPlaceholder: t('Filter by file, function or line'),
  library: t('Library or native code'),
  libraryHint: t('No line of yours is on the stack'),
  beforeRecording: t('Before recording'),
  beforeRecordingHint: t('Allocated before the recording began'),
  noStack: t('No stack recorded'),
  noStackHint: t('Allocated where no Python ran, or recorded without stacks'),
  unexplained: t('Not explained'),
  unexplainedHint: t('The history and the list of blocks disagree by this much'),
  notMapped: t('not in this workspace'),
  openLine: (file: string, line: number): string => t('Open {0} at line {1}', file, line),
  pointedOut: t('The line you came from'),
  total: t('Total'),
  totalIsLive: (bytes: number): string => t('= live bytes, {0}', formatExactBytes(bytes)),
  totalIsAlive: (bytes: number): string => t('= born in view and alive at the end, {0}', formatExactBytes(bytes)),
  shown: (rows: number, all: number): string => t('Shown: {0} of {1}', formatCount(rows), formatCount(all)),
  nothingMatches: t('No line matches the filter.'),
  showMore: (count: number): string => t('Show {0} more', formatCount(count)),
  atInstant: (instant: string): string => t('At {0}', instant),
  atStart: t('Before the first event'),
  whenTaken: t('When the snapshot was taken'),
  summary: (when: string, live: number, reserved: number | null, lines: number, largest: string | null): string => {
    const amount =
      reserved === null
        ? t('{0}: {1} live', when, formatBytes(live))
        : t('{0}: {1} live of {2} reserved', when, formatBytes(live), formatBytes(reserved));
    return largest === null
      ? t('{0}, none of it held by a line of Python.', amount)
      : t('{0}, held by {1}, most by {2}.', amount, linesText(lines), largest);
  },
  lineWithBytes: (file: string, line: number, bytes: number): string =>
    `${placeText(file, line)} (${formatBytes(bytes)})`,
  nothingMapped: t('No line that is live here is a file of this workspace.'),

  // Two snapshots side by side
  view: t('What the page shows'),
  viewName: { timeline: t('Timeline'), compare: t('Compare') } satisfies Record<View, string>,
  compareControls: t('What is compared'),
  compareBefore: t('Snapshot A (before)'),
  compareAfter: t('Snapshot B (after)'),
  swapSides: t('Swap A and B'),
  sameStep: t('At the Same Step'),
  sameStepHint: t('Compare the two runs where both took a snapshot at the same step, the latest such'),
  compareExtent: t('Curves of'),
  compareExtentName: { snapshots: t('Snapshots'), runs: t('Whole runs') },
  nothingToCompare: t('A comparison needs two snapshots.'),
  comparedIsGone: t('A snapshot of this comparison is not there any more. Choose another one.'),
  compareFailed: (reason: string): string => t('The snapshots could not be compared: {0}', reason),
  compareSummary: (before: string, after: string, change: string, exact: string): string =>
    t('{0} live in A, {1} in B: {2} ({3}).', before, after, change, exact),
  comparedLines: (grown: number, shrunk: number): string =>
    t('Lines that grew: {0}; that shrank: {1}.', formatCount(grown), formatCount(shrunk)),
  comparedLinesMost: (grown: number, shrunk: number, most: string): string =>
    t('Lines that grew: {0}, most of all {2}; that shrank: {1}.', formatCount(grown), formatCount(shrunk), most),
  addressesReused: t('The traces do not meet: blocks of the same address, size and stack are taken for the same.'),
  fixSentence: (answer: FixAnswer, why: string): string => `${strings.fixAnswer[answer]} ${why}`,
  fixAnswer: {
    gone: t('✔ The leak is gone.'),
    smaller: t('▽ The leak is smaller.'),
    same: t('= No change.'),
    worse: t('▲ The leak is worse.'),
    cannotTell: t('? It cannot be told yet.'),
  } satisfies Record<FixAnswer, string>,
  compareGrowth: t('Growth from A to B'),
  comparePane: t('Growth shown as'),
  comparePaneName: { table: t('Table'), flame: t('Difference flame graph') } satisfies Record<ComparePane, string>,
  compareTable: t('Growth from A to B by line'),
  compareColumn: {
    line: t('Line'),
    bytesA: t('In A'),
    bytesB: t('In B'),
    growthBytes: t('Growth'),
    survived: t('Survived'),
    born: t('New'),
    freed: t('Freed'),
    blocks: t('Blocks'),
  } satisfies Record<CompareSort, string>,
  bytesInBlocks: (bytes: string, blocks: string): string => `${bytes} · ${blocks}`,
  otherLines: (count: number): string =>
    count === 1 ? t('1 smaller line') : t('{0} smaller lines', formatCount(count)),
  openPlace: (place: string): string => t('Open {0}', place),
  changeOf: (before: string, after: string, change: string, exact: string): string =>
    `${before} → ${after}, ${change} (${exact})`,
  blocksChange: (before: string, after: string): string => t('{0} → {1} blocks', before, after),
  callIsNew: t('only in B'),
  callIsGone: t('only in A'),
  everythingCompared: t('Everything'),
  compareTree: t('Calls from the outermost down, with their growth from A to B'),
  compareWidth: t('Width of the boxes'),
  compareWidthName: {
    either: t('The larger of A and B'),
    after: t('What is live in B'),
  } satisfies Record<CompareWidth, string>,
  compareWholeHint: t('Show everything (Escape)'),
  compareFlameHint: t(
    '▲ rising hatches: more in B · ▼ falling hatches: less in B · Click: look closer · Click again, or Ctrl/Cmd-click: open the line',
  ),

  // What leaves the page
  save: t('Save…'),
  saveAs: { png: t('PNG'), svg: t('SVG'), csv: t('CSV') } satisfies Record<SavedKind, string>,
  copyTable: t('Copy'),
  restOfLines: t('All other lines'),
  restOfSegments: t('All other segments'),
  copied: t('Copied.'),
  savedAs: (file: string): string => t('Saved as {0}.', file),
  saveFailed: (reason: string): string => t('It could not be saved: {0}', reason),
  nothingToSave: t('There is nothing to save yet.'),
  pictureTooLarge: t('The picture is too large.'),

  // Curves over each other
  series: t('Live memory over each other'),
  seriesTable: t('The curves: one row for each'),
  seriesFailed: (reason: string): string => t('The curves could not be read: {0}', reason),
  seriesAxisName: { step: t('Steps'), time: t('Time'), events: t('Events') } satisfies Record<SeriesAxis, string>,
  seriesAxisTitle: { step: t('Training step'), events: t('Allocator event') },
  seriesPlace: {
    step: (step: string): string => t('step {0}', step),
    events: (event: string): string => t('event {0}', event),
  },
  columnSeries: t('Curve'),
  columnSnapshots: t('Snapshots'),
  columnSeriesFirst: t('First'),
  columnSeriesLast: t('Last'),
  otherSeries: t('Also show'),

  // States
  readingSnapshots: t('Reading snapshots…'),
  noSnapshots: t('No snapshot yet'),
  noSnapshotsHelp: t(
    'Snapshots in this workspace appear here by themselves. To make one, record in the training script and dump:',
  ),
  recordingCode:
    'torch.cuda.memory._record_memory_history()\n# … train …\ntorch.cuda.memory._dump_snapshot("snapshot.pickle")',
  openSnapshot: t('Open Snapshot…'),
  retry: t('Retry'),
  curveFailed: (reason: string): string => t('The curve could not be read: {0}', reason),
  liveFailed: (reason: string): string => t('What is live here could not be read: {0}', reason),
  openFailed: (reason: string): string => t('The line could not be opened: {0}', reason),
  readyFailed: (reason: string): string => t('The snapshots could not be listed: {0}', reason),
} as const;
