/** All ids that manifest and code share. A unit test compares the two. */

/** Commands of the manifest. */
export const Command = {
  compareSnapshots: 'leakline.compareSnapshots',
  clearComparison: 'leakline.clearComparison',
  openTimeline: 'leakline.openTimeline',
  openTimelineInEditor: 'leakline.openTimelineInEditor',
  openSnapshot: 'leakline.openSnapshot',
  openExample: 'leakline.openExample',
  showLeaks: 'leakline.showLeaks',
  groupByLine: 'leakline.groupByLine',
  groupByFile: 'leakline.groupByFile',
  groupByHolder: 'leakline.groupByHolder',
  goToNextLeak: 'leakline.goToNextLeak',
  goToPreviousLeak: 'leakline.goToPreviousLeak',
  toggleLineMarks: 'leakline.toggleLineMarks',
  mapRecordedFolder: 'leakline.mapRecordedFolder',
  insertRecordingCode: 'leakline.insertRecordingCode',
  runWithRecording: 'leakline.runWithRecording',
  attach: 'leakline.attach',
  detach: 'leakline.detach',
  dumpNow: 'leakline.dumpNow',
  showHolders: 'leakline.showHolders',
  recorderPath: 'leakline.recorderPath',
  copyReport: 'leakline.copyReport',
  clearResults: 'leakline.clearResults',
  readAgain: 'leakline.readAgain',
  showLog: 'leakline.showLog',
  showLineOnTimeline: 'leakline.showLineOnTimeline',
  showSnapshotOnTimeline: 'leakline.showSnapshotOnTimeline',
  revealSnapshot: 'leakline.revealSnapshot',
  compareSelected: 'leakline.compareSelected',
  forgetSnapshot: 'leakline.forgetSnapshot',
  ignoreLeak: 'leakline.ignoreLeak',
  stopIgnoring: 'leakline.stopIgnoring',
  fixLeak: 'leakline.fixLeak',
  applyFix: 'leakline.applyFix',
  applyFixAndRecord: 'leakline.applyFixAndRecord',
  recordAgain: 'leakline.recordAgain',
  explainOom: 'leakline.explainOom',
} as const;

/** Commands that only a lens, a hover or a tree row runs; they are not in the palette and not in the manifest. */
export const InternalCommand = {
  showLine: 'leakline.internal.showLine',
  openSource: 'leakline.internal.openSource',
  showMessage: 'leakline.internal.showMessage',
  showWhatIf: 'leakline.internal.showWhatIf',
} as const;

export type CommandId = (typeof Command)[keyof typeof Command] | (typeof InternalCommand)[keyof typeof InternalCommand];

export const View = {
  container: 'leakline',
  timelineContainer: 'leaklineTimeline',
  leaks: 'leakline.leaks',
  snapshots: 'leakline.snapshots',
  compare: 'leakline.compare',
  timeline: 'leakline.timeline',
} as const;

/** The `type` of recording tasks in `tasks.json`. */
export const RECORDING_TASK_TYPE = 'leakline';

/** The type of the timeline tab. The view in the panel is {@link View.timeline}. */
export const TIMELINE_VIEW_TYPE = 'leakline.timeline';

/** The custom editor of snapshots. */
export const SNAPSHOT_EDITOR = 'leakline.snapshot';

/** Files as a fix would leave them. */
export const FIX_SCHEME = 'leakline-fix';

/** Tools of language models. */
export const LanguageModelTool = {
  listLeaks: 'list_gpu_memory_leaks',
  explainLeak: 'explain_gpu_memory_leak',
  compareSnapshots: 'compare_gpu_memory_snapshots',
  whatIf: 'gpu_memory_what_if',
  explainOom: 'explain_gpu_out_of_memory',
} as const;
export type LanguageModelToolName = (typeof LanguageModelTool)[keyof typeof LanguageModelTool];

/** Settings, without their section. */
export const SETTINGS_SECTION = 'leakline';
export const Setting = {
  snapshotsInclude: 'snapshots.include',
  snapshotsExclude: 'snapshots.exclude',
  snapshotsPolling: 'snapshots.polling',
  marksMinimum: 'marks.minimumMiB',
  marksExclude: 'marks.exclude',
  marksCodeLens: 'marks.codeLens',
  marksEndOfLine: 'marks.endOfLine',
  marksGutter: 'marks.gutter',
  marksHover: 'marks.hover',
  problemsSeverity: 'problems.severity',
  gpuCapacity: 'gpu.capacityGiB',
  alertsWhen: 'alerts.when',
  marksWhileDebugging: 'marks.whileDebugging',
  pathsMap: 'paths.map',
  readingTimeLimit: 'reading.timeLimit',
  cacheMaxSize: 'cache.maxSize',
  recordingOptions: 'recording.options',
  outOfMemoryOutput: 'outOfMemory.readOutput',
  outOfMemoryLogs: 'outOfMemory.logs',
} as const;

export const ContextKey = {
  /** A report is available. */
  hasResults: 'leakline.hasResults',
  /** A line requested memory that was not there. */
  hasAsking: 'leakline.hasAsking',
  /** State of the workspace's snapshots: `searching`, `reading`, `empty`, `cleared`, `calm` or `found`. */
  state: 'leakline.state',
  /** True if at least one line has a mark. */
  hasMarks: 'leakline.hasMarks',
  /** Two snapshots or more are known. */
  canCompare: 'leakline.canCompare',
  comparing: 'leakline.comparing',
  recording: 'leakline.recording',
  /** The grouping of the Leaks view: `holder`, `line` or `file`. */
  grouping: 'leakline.grouping',
  hasUnmapped: 'leakline.hasUnmapped',
  /** A fix is shown. */
  fixPreview: 'leakline.fixPreview',
} as const;

export const Color = {
  leak: 'leakline.leakForeground',
  cycle: 'leakline.cycleForeground',
  growth: 'leakline.growthForeground',
  shrink: 'leakline.shrinkForeground',
} as const;

/** `contextValue` of tree rows, which menus of the manifest test. */
export const RowKind = {
  mappedLine: 'mappedLine',
  /** A finding whose fix is an edit. */
  fixableLine: 'fixableLine',
  unmappedLine: 'unmappedLine',
  ignoredLine: 'ignoredLine',
  snapshot: 'snapshot',
  run: 'run',
  problem: 'problem',
} as const;
