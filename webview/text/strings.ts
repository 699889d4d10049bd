/** Every text that the timeline shows, in one place. */
import type { BandsQuery } from '../../src/protocol/bandData.js';
import type { PieceKind } from '../../src/protocol/mapData.js';
import type { SavedKind } from '../../src/protocol/saveData.js';
import type { BeforePart } from '../../src/protocol/runData.js';
import type { TimelineAxis, TimelineMark } from '../../src/protocol/timelineData.js';
import { formatDuration } from './duration.js';
import { byteText, countText } from '../../src/core/text/numberText.js';
import { formatExactBytes } from './format.js';
import { fileAndLine } from '../../src/core/text/pathText.js';
import { pathEnd } from './place.js';
import { bucketText, capitalized } from '../../src/core/present/words.js';
import { t, tCount } from '../../src/core/text/translate.js';
import type { CompareWidth, SeriesAxis } from '../../src/protocol/compareData.js';
import type { FlameMeasure, FlameSort } from '../model/flameState.js';
import type { ComparePane, CompareSort } from '../model/compareState.js';
import type { Listing, Pane, Tabled } from '../model/viewState.js';

const BUCKETS = {
  library: capitalized(bucketText('library')),
  beforeRecording: capitalized(bucketText('beforeRecording')),
  noStack: capitalized(bucketText('noStack')),
};

const linesText = (count: number): string => tCount(count, '1 line', '{0} lines');

/** @param allocated event; negative before the recording */
function allocatedAt(allocated: number, age: string | null, several: boolean): string {
  if (allocated < 0) return t('allocated before the recording');
  const event = countText(allocated);
  if (age === null) return several ? t('oldest allocated at event {0}', event) : t('allocated at event {0}', event);
  return several
    ? t('oldest {0} old, allocated at event {1}', age, event)
    : t('{0} old, allocated at event {1}', age, event);
}

/** @param share empty, and @param blocks null if unknown */
const partOfLive = (share: string, blocks: number | null): string[] => [
  ...(share === '' ? [] : [t('{0} of the live memory', share)]),
  ...(blocks === null ? [] : [tCount(blocks, '1 block', '{0} blocks')]),
];

const libraryFrames = (count: number): string => tCount(count, '1 library frame', '{0} library frames');

const nativeFrames = (count: number): string => tCount(count, '1 C++ frame', '{0} C++ frames');

const freedBy = (event: string, all: boolean): string =>
  all ? t('all freed by event {0}', event) : t('freed by event {0}', event);

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
  title: t('GPU memory timeline'),

  // Controls
  controls: t('Timeline controls'),
  snapshot: t('Snapshot'),
  device: t('Device'),
  axis: t('Horizontal axis'),
  axisName: { time: t('Time'), events: t('Events') } satisfies Record<TimelineAxis, string>,
  zoomIn: t('Zoom in'),
  zoomOut: t('Zoom out'),
  wholeHistory: t('Show the whole history (Home, or double-click on the curve)'),
  allBytes: t('All bytes'),
  allBytesHint: t('Show the whole byte axis (Alt+Home, or double-click on the axis)'),
  loading: t('Loading'),

  // The chart
  chart: t('Memory timeline'),
  chartRole: t('memory timeline'),
  chartHelp: t(
    'Left and right arrows move from point to point, with Control by twenty; with Shift they move the view. Up goes to the peak in view. Alt with up and down goes from allocation to allocation at the cursor. Plus and minus zoom, Home shows the whole history. Alt with plus and minus zooms the byte axis, with page up and page down it moves, Alt and Home shows all of it. Enter shows the live memory at the cursor; Enter again, or Control and Enter, opens its largest line, or that of the allocation.',
  ),
  live: t('Live'),
  reserved: t('Reserved'),
  reservedAbove: (bytes: number): string => t('▲ up to {0} reserved', byteText(bytes)),
  unknown: t('not known'),
  capacityOf: (bytes: number): string => t('Capacity {0}', byteText(bytes)),
  toPeak: (bytes: number): string => t('Peak {0}: what holds it', byteText(bytes)),
  toPeakHint: t('Show the live memory at the peak in view'),
  bandsFailed: (reason: string): string => t('The allocations could not be read: {0}', reason),
  axisTitle: {
    time: (unit: string): string => t('Time since the first event ({0})', unit),
    events: t('Allocator event'),
    rows: t('Row of the file'),
  },
  stepFromEnd: t('Step, counted back from the last'),
  stepFromEndHint: t('The trace lost its oldest events; the number of earlier steps is not known'),
  mark: ({ kind, label }: Pick<TimelineMark, 'kind' | 'label'>): string =>
    label === '' ? MARK_NAMES[kind] : `${MARK_NAMES[kind]}: ${label}`,
  /** @param isRow the curve has rows of a log, not events @param stepUs the least difference of times that shows */
  instant: (timeUs: number | null, event: number, isRow: boolean, stepUs?: number): string => {
    const place = isRow ? t('row {0}', countText(event)) : t('event {0}', countText(event));
    return timeUs === null ? place : `${formatDuration(timeUs, stepUs)}, ${place}`;
  },
  contradiction: (live: number, reserved: number): string =>
    t(
      'This recording cannot be trusted: its events add up to {0} live in {1} of reserved memory, so some are missing or wrong.',
      byteText(live),
      byteText(reserved),
    ),
  noEvents: t(
    'This snapshot has no history: recording was off. The list shows the memory that was live when it was taken.',
  ),

  // The overview of a run
  run: t('The whole run'),
  runRole: t('snapshots of the run'),
  runHint: t(
    'Drag: choose the view · Click: show the snapshot of that instant · Arrow keys: from snapshot to snapshot',
  ),
  runStep: (step: number): string => t('step {0}', countText(step)),
  runBefore: {
    start: t('recorded from its first event on'),
    joined: t('recorded without a gap'),
    gap: t('events before it were not recorded'),
    unrecorded: t('its history was not recorded'),
  } satisfies Record<BeforePart, string>,
  runGapOf: (duration: string): string => t('not recorded for {0} before it', duration),
  runPart: (name: string, at: number, count: number, live: string, before: string): string =>
    t('Snapshot {0} of {1}, {2}: {3} live, {4}', countText(at), countText(count), name, live, before),
  runSummary: (snapshots: number, first: string, last: string, gaps: number, bare: number): string =>
    [
      t('{0} snapshots, {1} live in the first, {2} in the last', countText(snapshots), first, last),
      ...(gaps === 0 ? [] : [t('gaps in the recording (hatched): {0}', countText(gaps))]),
      ...(bare === 0 ? [] : [t('without history: {0}', countText(bare))]),
    ].join('; '),
  runFailed: (reason: string): string => t('The whole run could not be shown: {0}', reason),
  runTable: t('The whole run: one row for each snapshot'),
  columnSteps: t('Marked steps'),
  columnHistory: t('History'),
  showPartOf: (name: string): string => t('Show the snapshot of {0}', name),

  // Bands
  grouping: t('Color of the series'),
  groupingName: {
    none: t('Curve only'),
    line: t('By line'),
    file: t('By file'),
    stack: t('By stack'),
    category: t('By category'),
    verdict: t('By verdict'),
    age: t('By age'),
  } satisfies Record<BandsQuery['grouping'] | 'none', string>,
  spanName: {
    before: t('Before recording'),
    kept: t('Live at the end'),
    steps: t('Freed in a later step'),
    step: t('Freed within its step'),
  },
  unjudged: t('Freed at the end'),
  bandKey: t('Colors'),
  otherBands: (count: number): string => tCount(count, '1 thin series', '{0} thin series'),
  moreBands: (count: number): string => t('and {0} more', countText(count)),
  allocations: (bytes: string, count: number): string =>
    tCount(count, '{1}, one allocation', '{1} in {0} allocations', bytes),
  bandLife: (allocated: number, freed: number | null, age: string | null, several: boolean): string => {
    const until = freed === null ? t('live at the end') : freedBy(countText(freed), several);
    return `${allocatedAt(allocated, age, several)}, ${until}`;
  },
  compiledIn: (region: string): string => t('compiled: {0}', region),
  taggedWith: (metadata: string): string => t('metadata: {0}', metadata),
  inFunction: (name: string): string => t('in {0}', name),
  bandOfBands: (band: string, at: number, count: number): string =>
    t('{0}. Series {1} of {2} from the top', band, countText(at), countText(count)),
  bandNotMapped: t('The workspace does not have the file of this series.'),
  openBand: t('Go to Line'),
  fixBand: t('Fix…'),
  clearSelection: t('Clear'),
  foldedFrames: (library: number, native: number): string =>
    [...(library === 0 ? [] : [libraryFrames(library)]), ...(native === 0 ? [] : [nativeFrames(native)])].join(', '),
  hiddenFrames: (count: number): string =>
    tCount(
      count,
      '1 frame is hidden: of the recording itself, of the Python interpreter, or too far out',
      '{0} frames are hidden: of the recording itself, of the Python interpreter, or too far out',
    ),
  hiddenNative: (count: number): string => tCount(count, '1 C++ frame is hidden', '{0} C++ frames are hidden'),
  stackOfBand: t('Stack, innermost first'),
  bandTable: t('Series in view, the largest first'),
  columnBand: t('Series'),
  columnHighest: t('Highest'),
  columnFirst: t('At the start'),
  columnLast: t('At the end'),
  columnAllocations: t('Outlined allocations'),

  // The curve as a table
  curveTable: t('The visible curve: its ends, peaks and marks'),
  columnPoint: t('Point'),
  columnInstant: t('Instant'),
  points: {
    start: t('Start of the view'),
    end: t('End of the view'),
    lowest: t('Lowest'),
    highest: t('Highest'),
    peak: t('Peak'),
  },
  lookIntoAt: (where: string): string => t('Show live memory: {0}', where),

  // Under the chart
  pane: t('Shown below the chart'),
  paneName: {
    lines: t('Lines'),
    stacks: t('Stacks'),
    flame: t('Flame Graph'),
    map: t('Memory Map'),
    whatIf: t('What If'),
    table: t('Table'),
  } satisfies Record<Pane, string>,
  splitter: t('Height of the chart'),
  splitterHint: t('Drag, or use the arrow keys, to resize the chart'),
  tabled: t('Table of'),
  tabledName: {
    curve: t('Curve'),
    allocations: t('Series in view'),
    calls: t('Calls'),
    segments: t('Segments'),
    run: t('Snapshots of the run'),
  } satisfies Record<Tabled, string>,
  nothingTabled: t('Nothing to list yet.'),
  columnGroup: t('Group'),
  search: t('Search'),
  searchPlaceholder: t('Search ( / )'),
  compare: t('Compare…'),
  compareHint: t('Compare this snapshot with another one'),
  clearComparison: t('Clear Comparison'),
  help: t('Keys and gestures'),
  close: t('Close'),
  keyText: {
    zoom: t('zoom in and out'),
    move: t('move the view'),
    points: t('go from point to point; with Ctrl by twenty, with Shift move the view'),
    peak: t('go to the peak in view'),
    steps: t('go to the step before or after'),
    walk: t('go from allocation to allocation at the cursor'),
    select: t('select at the cursor; again: open the line'),
    mark: t('show the live memory at the cursor'),
    search: t('search lines, stacks and calls'),
    whole: t('show the whole history'),
    bytes: t('zoom the byte axis'),
    clear: t('clear the selection'),
    click: t('select; again, or with Ctrl: open the line'),
    wheel: t('zoom; with Alt the byte axis too'),
    drag: t('move the view'),
  },
  gesture: { click: t('Click'), wheel: t('Wheel'), sweep: t('Drag'), drag: t('Shift+drag') },

  // Flame graph
  flame: t('Live memory by call'),
  flameTree: t('Calls from the outermost down; the width is their live bytes'),
  flameHelp: t(
    'Down goes to the largest call below, up to the caller, left and right to the neighbors. Space zooms in, Backspace goes back, Home goes to the top. Enter opens the line.',
  ),
  flameFailed: (reason: string): string => t('Live memory by call could not be read: {0}', reason),
  foldLibraries: t('Fold library frames'),
  flameTable: t('Calls from the outermost down, with their live bytes'),
  flameColumn: { call: t('Call'), self: t('Own bytes'), bytes: t('Bytes'), blocks: t('Blocks') } satisfies Record<
    FlameSort,
    string
  >,
  columnLevel: t('Level'),
  flameBack: t('Back'),
  flameBackHint: t('Show the caller (Backspace)'),
  flameWhole: t('Everything'),
  flameWholeHint: t('Show all live memory (Escape)'),
  found: (calls: number, bytes: number, share: string): string => {
    if (calls === 0) return t('No call in view matches.');
    return tCount(
      calls,
      '1 call in view matches; {1} ({2}) passed through it.',
      '{0} calls in view match; {1} ({2}) passed through them.',
      byteText(bytes),
      share,
    );
  },
  flameMeasure: t('Width of the boxes'),
  flameMeasureName: { live: t('Live bytes'), mean: t('Bytes × lifetime in view') } satisfies Record<
    FlameMeasure,
    string
  >,
  byteSeconds: (bytes: string): string => `${bytes}·s`,
  byteEvents: (bytes: string): string => t('{0}·events', bytes),
  meanSummary: (mean: number, product: string): string =>
    t('In view: {0} live on average, {1}', byteText(mean), product),
  meanNumbers: (mean: number, product: string, share: string, blocks: number | null): string => {
    return [t('{0} on average', byteText(mean)), product, ...partOfLive(share, blocks)].join(', ');
  },
  flameSummary: (when: string, live: number): string => t('{0}: {1} live', when, byteText(live)),
  atTheEnd: t('At the end of the recording'),
  everything: t('All live memory'),
  callGroupName: { ...BUCKETS, anyLibrary: BUCKETS.library, backward: t('Backward pass of') },
  unnamedCall: t('too narrow for its name'),
  callAt: (name: string, file: string, line: number): string => `${name}, ${fileAndLine({ file, line })}`,
  mergedCalls: (count: number): string => t('{0} more', countText(count)),
  callNumbers: (bytes: number, share: string, blocks: number | null): string => {
    return [`${byteText(bytes)} (${formatExactBytes(bytes)})`, ...partOfLive(share, blocks)].join(', ');
  },
  callSelf: (bytes: number): string => t('allocated by the call itself: {0}', byteText(bytes)),
  callFound: t('found'),
  callNotMapped: t('This call has no file in this workspace.'),

  // Other settings of the allocator
  whatIf: t('Reserved memory with other settings of the allocator, or changes of the program'),
  whatIfFailed: (reason: string): string => t('The allocations could not be replayed: {0}', reason),
  change: t('Change'),
  asRecorded: t('As recorded'),
  reservedPeak: t('Reserved peak'),
  saved: t('Saved'),
  reservedAtEnd: t('At the end'),
  ofCapacity: (bytes: number): string => t('Of {0}', byteText(bytes)),
  fit: (leftBytes: number | null): string =>
    leftBytes === null ? t('does not fit') : t('{0} left', byteText(leftBytes)),
  drawChange: (name: string): string => t('Draw the reserved memory with {0}', name),
  reservedWith: (name: string): string => t('Reserved with {0}', name),
  amountReservedWith: (amount: string, name: string): string => t('{0} reserved with {1}', amount, name),
  applySetting: t('Apply Setting…'),
  applySettingHint: t('Put the chosen setting into .env, launch.json or tasks.json, unsaved'),
  copySetting: t('Copy Setting'),
  copySettingHint: t('Copy the environment variable with the chosen setting'),
  copyFailed: (reason: string): string => t('Copying failed: {0}', reason),

  // Memory map
  map: t('Memory map of the device'),
  scrub: t('Instant of the map'),
  scrubHint: t('Drag, or use the arrow keys, to go through time event by event'),
  eventOf: (event: string, events: string): string => t('event {0} of {1}', event, events),
  mapChanged: (name: string): string =>
    t('Replayed with {0}. Choose it again in What If for the recording as it is.', name),
  mapReplayed: (unplaced: number): string =>
    unplaced === 0
      ? t(
          'Replayed backwards from the snapshot. Freed blocks have their requested size; the pools of freed segments are unknown.',
        )
      : t(
          'Replayed backwards from the snapshot. The trace does not add up: {0} have no address. Freed blocks have their requested size.',
          byteText(unplaced),
        ),
  mapGrid: t('Segments to scale, the largest first, each with its blocks in the order of their addresses'),
  mapHelp: t(
    'Arrow keys go from block to block and from segment to segment. Space zooms into a segment, Escape shows all, Enter opens the line of a block.',
  ),
  mapZoom: t('Zoom into the segment of the selected block (Space)'),
  mapWhole: t('Show all segments (Escape)'),
  mapFailed: (reason: string): string => t('The memory map could not be read: {0}', reason),
  mapWithoutPlaces: t('This file has no addresses of blocks.'),
  mapReserved: (segments: number, reserved: number): string =>
    tCount(segments, '{1} reserved in 1 segment', '{1} reserved in {0} segments', byteText(reserved)),
  mapInside: (live: number, free: number, largestFree: number): string =>
    t('{0} live, {1} free inside, the largest piece {2}', byteText(live), byteText(free), byteText(largestFree)),
  mapPinned: (segments: number): string =>
    tCount(
      segments,
      '1 large segment is pinned: less than a tenth of it is live',
      '{0} large segments are pinned: less than a tenth of each is live',
    ),
  otherSegments: (count: number, reserved: number, live: number): string =>
    tCount(
      count,
      'and 1 smaller segment: {1} reserved, {2} live',
      'and {0} smaller segments: {1} reserved, {2} live',
      byteText(reserved),
      byteText(live),
    ),
  segmentLabel: (reserved: number, live: number, free: number, largestFree: number): string =>
    free === 0
      ? t('{0}: {1} live, nothing free', byteText(reserved), byteText(live))
      : t(
          '{0}: {1} live, {2} free, largest {3}',
          byteText(reserved),
          byteText(live),
          byteText(free),
          byteText(largestFree),
        ),
  defaultPool: t('default pool'),
  unknownPool: t('pool not recorded'),
  poolNamed: (pool: string): string => t('pool {0}', pool),
  streamNamed: (stream: string): string => (stream === '' ? t('stream not known') : t('stream {0}', stream)),
  segmentKind: { small: t('small'), large: t('large'), expandable: t('expandable') },
  pinned: `▲ ${t('pinned')}`,
  pinnedHint: t('Less than a tenth of the segment is live, and keeps it reserved'),
  pieceName: {
    live: t('Live block'),
    pending: t('Freed, still used by another stream'),
    free: t('Free'),
    mixed: t('Small neighbors'),
    unknown: t('In no block'),
  } satisfies Record<PieceKind, string>,
  pieceText: (name: string, bytes: number): string => `${name}: ${byteText(bytes)} (${formatExactBytes(bytes)})`,
  mixedText: (live: number, blocks: number): string =>
    tCount(blocks, '{1} live in 1 block', '{1} live in {0} blocks', byteText(live)),
  largestOf: (owner: string): string => t('the largest of {0}', owner),
  pieceNotMapped: t('This block has no line in this workspace.'),
  segmentTable: t('Segments'),
  segmentColumn: {
    reservedBytes: t('Size'),
    liveBytes: t('Live'),
    freeBytes: t('Free inside'),
    largestFreeBytes: t('Largest free'),
  },
  columnAddress: t('Address'),
  columnPoolAndKind: t('Pool'),
  columnStream: t('Stream'),
  poolTable: t('Segments by pool, stream and kind'),
  columnPool: t('Pool, stream and kind'),
  columnSegments: t('Segments'),
  columnPinned: t('Pinned'),

  // Live memory
  listing: t('Live memory'),
  liveTable: t('Live memory by line'),
  listingName: { live: t('At cursor'), allocated: t('Allocated in view, still live') } satisfies Record<
    Listing,
    string
  >,
  nothingAllocated: t('No event in view.'),
  allocatedSummary: (
    sums: { aliveBytes: number; aliveBlocks: number; allocatedBytes: number; allocatedBlocks: number },
    lines: number,
    largest: string | null,
  ): string => {
    const allocated = tCount(
      sums.allocatedBlocks,
      '{1} in 1 allocation in view',
      '{1} in {0} allocations in view',
      byteText(sums.allocatedBytes),
    );
    if (sums.aliveBlocks === 0) return t('{0}; none is live at the end.', allocated);
    const [bytes, blocks] = [byteText(sums.aliveBytes), countText(sums.aliveBlocks)];
    return largest === null
      ? t('{0}; {1} in {2} are live at the end.', allocated, bytes, blocks)
      : t(
          '{0}; {1} in {2} are live at the end, of {3}, most of {4}.',
          allocated,
          bytes,
          blocks,
          linesText(lines),
          largest,
        );
  },
  columnBytes: t('Bytes'),
  columnShare: t('Share'),
  columnBlocks: t('Blocks'),
  columnLine: t('Line'),
  columnFunction: t('Function'),
  sortBy: (column: string): string => t('Sort by {0}', column),
  ...BUCKETS,
  libraryHint: t('No line of yours is on the stack'),
  olderUse: (use: string) => t('Before recording ({0})', use),
  beforeRecordingHint: t('Allocated before the recording began'),
  noStackHint: t('Allocated where no Python ran, or recorded without stacks'),
  unexplained: t('Not explained'),
  unexplainedHint: t('Difference between the history and the list of blocks'),
  notMapped: t('not in this workspace'),
  pointedOut: t('The line you came from'),
  total: t('Total'),
  totalIsLive: (bytes: number): string => t('= live bytes, {0}', formatExactBytes(bytes)),
  totalIsAlive: (bytes: number): string => t('= allocated in view and live at the end, {0}', formatExactBytes(bytes)),
  shown: (rows: number, all: number): string => t('Shown: {0} of {1}', countText(rows), countText(all)),
  nothingMatches: t('No line matches the filter.'),
  showMore: (count: number): string => t('Show {0} more', countText(count)),
  atInstant: (instant: string): string => t('At {0}', instant),
  atStart: t('Before the first event'),
  whenTaken: t('When the snapshot was taken'),
  summary: (when: string, live: number, reserved: number | null, lines: number, largest: string | null): string => {
    const amount =
      reserved === null
        ? t('{0}: {1} live', when, byteText(live))
        : t('{0}: {1} live of {2} reserved', when, byteText(live), byteText(reserved));
    return largest === null
      ? t('{0}, none of it held by a line of Python.', amount)
      : t('{0}, held by {1}, most by {2}.', amount, linesText(lines), largest);
  },
  lineWithBytes: (file: string, line: number, bytes: number): string =>
    `${fileAndLine({ file: pathEnd(file), line })} (${byteText(bytes)})`,
  nothingMapped: t('No line with live memory is in this workspace.'),

  // Two snapshots side by side
  compareControls: t('Compared snapshots'),
  compareBefore: t('Snapshot A (before)'),
  compareAfter: t('Snapshot B (after)'),
  swapSides: t('Swap A and B'),
  sameStep: t('At the Same Step'),
  sameStepHint: t('Compare the two runs where both took a snapshot at the same step, the latest such'),
  compareExtent: t('Curves of'),
  compareExtentName: { snapshots: t('Snapshots'), runs: t('Whole runs') },
  nothingToCompare: t('A comparison needs two snapshots.'),
  comparedIsGone: t('A compared snapshot was deleted. Choose another one.'),
  compareFailed: (reason: string): string => t('The snapshots could not be compared: {0}', reason),
  addressesReused: t('The traces do not overlap: blocks of equal address, size and stack count as the same block.'),
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
    allocated: t('New'),
    freed: t('Freed'),
    blocks: t('Blocks'),
  } satisfies Record<CompareSort, string>,
  bytesInBlocks: (bytes: string, blocks: string): string => `${bytes} · ${blocks}`,
  otherLines: (count: number): string => tCount(count, '1 smaller line', '{0} smaller lines'),
  openPlace: (place: string): string => t('Open {0}', place),
  changeOf: (before: string, after: string, change: string, exact: string): string =>
    `${before} → ${after}, ${change} (${exact})`,
  blocksChange: (before: string, after: string): string => t('{0} → {1} blocks', before, after),
  callIsNew: t('only in B'),
  callIsGone: t('only in A'),
  everythingCompared: t('Everything'),
  compareTree: t('Calls from the outermost down, with their growth from A to B'),
  compareWidth: t('Width of the boxes'),
  compareWidthName: { either: t('The larger of A and B'), after: t('Live in B') } satisfies Record<
    CompareWidth,
    string
  >,

  // Files that the page saves
  save: t('Save…'),
  saveAs: { png: t('PNG'), csv: t('CSV') } satisfies Record<SavedKind, string>,
  copyTable: t('Copy'),
  restOfLines: t('All other lines'),
  restOfSegments: t('All other segments'),
  copied: t('Copied.'),
  savedAs: (file: string): string => t('Saved as {0}.', file),
  saveFailed: (reason: string): string => t('Saving failed: {0}', reason),
  nothingToSave: t('There is nothing to save yet.'),
  pictureTooLarge: t('The picture is too large.'),

  // Curves over each other
  series: t('Live memory, overlaid'),
  seriesFailed: (reason: string): string => t('The curves could not be read: {0}', reason),
  seriesAxisName: { step: t('Steps'), time: t('Time'), events: t('Events') } satisfies Record<SeriesAxis, string>,
  seriesAxisTitle: { step: t('Training step'), events: t('Allocator event') },
  seriesPlace: {
    step: (step: string): string => t('step {0}', step),
    events: (event: string): string => t('event {0}', event),
  },
  otherSeries: t('Also show'),

  // States
  readingSnapshots: t('Reading snapshots…'),
  readingFile: (file: string, percent: number): string => t('Reading {0}: {1} %', file, percent),
  analyzingFile: (file: string): string => t('Analyzing {0}…', file),
  noSnapshots: t('No snapshot yet'),
  noSnapshotsHelp: t(
    'Snapshots in this workspace appear here automatically. To make some, put recording code into the training loop and run it.',
  ),
  wayToSnapshot: {
    insertRecordingCode: t('Insert Recording Code'),
    openExample: t('Open Example'),
    openSnapshot: t('Open Snapshot…'),
  },
  retry: t('Retry'),
  curveFailed: (reason: string): string => t('The curve could not be read: {0}', reason),
  liveFailed: (reason: string): string => t('The live memory could not be read: {0}', reason),
  openFailed: (reason: string): string => t('The line could not be opened: {0}', reason),
  readyFailed: (reason: string): string => t('The snapshots could not be listed: {0}', reason),
} as const;
