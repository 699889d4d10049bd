/**
 * Composes all surfaces: a separate bundle, loaded with the first snapshot or question. Surfaces know only interfaces
 * of each other.
 */
import * as vscode from 'vscode';
import { useTranslations } from '../core/text/translate.js';
import { reportJson, type ReportJson } from '../core/render/findingJson.js';
import { LeakAlerts } from './alerts/leakAlerts.js';
import { commandRunner, type CommandRunner } from './commands/commands.js';
import { LeakCommands } from './commands/leakCommands.js';
import { Setting } from './contributions.js';
import { languageModelTools, type LanguageModelTools } from './languageModel/tools.js';
import { EditorMarks } from './marks/editorMarks.js';
import { FixPreview } from './fix/fixPreview.js';
import { LeakActions } from './fix/leakActions.js';
import { LeakDiagnostics } from './fix/leakDiagnostics.js';
import { IgnoreFiles } from './ignore/ignoreFiles.js';
import { MarkHoverProvider } from './marks/hoverProvider.js';
import { LensProvider } from './marks/lensProvider.js';
import { LineDecorations } from './marks/lineDecorations.js';
import { MarkedLines } from './marks/markedLines.js';
import type { MarkSwitch } from './marks/markSwitch.js';
import { CELL_SCHEME, NotebookCells } from './notebooks/notebookCells.js';
import { OutOfMemoryMessages } from './oom/outOfMemoryMessages.js';
import { RecordAgain } from './recording/recordAgain.js';
import { Interpreters } from './recording/interpreters.js';
import { recordingDebugConfigurations, RecordingTasks } from './recording/recordingTask.js';
import { RunningPrograms } from './recording/runningPrograms.js';
import { RecordedTexts } from './marks/recordedTexts.js';
import { ResultsStore } from './results/resultsStore.js';
import { SnapshotSession } from './session.js';
import { affects } from './settings.js';
import { sentenceOf } from './text/fileSentence.js';
import { SnapshotEditor } from './snapshots/snapshotEditor.js';
import { Timelines } from './timeline/timelines.js';
import { ContextKeys } from './views/contextKeys.js';
import { LeakGrouping } from './views/leakGrouping.js';
import { IgnoredRows } from './views/leaksTree.js';
import { StatusBar } from './views/statusBar.js';
import { Views, type TreeViews } from './views/views.js';
import type { SnapshotWatchers } from './watch/snapshotWatchers.js';
import { openSource } from './workspace/openSource.js';
import { PythonFiles } from './workspace/pythonFiles.js';

/** Lenses and hovers belong to Python files on a disk and to cells of notebooks: snapshots cannot be of others. */
const PYTHON_FILES: vscode.DocumentSelector = [
  { language: 'python', scheme: 'file' },
  { language: 'python', scheme: CELL_SCHEME },
];

/** The parts that run from the start, without surfaces. */
interface Beginnings {
  readonly log: vscode.LogOutputChannel;
  readonly watchers: SnapshotWatchers;
  readonly marks: MarkSwitch;
  readonly trees: TreeViews;
}

/** The entry points for VS Code and other extensions. */
export interface Surfaces {
  readonly session: SnapshotSession;
  readonly store: ResultsStore;
  readonly views: Views;
  readonly timeline: Timelines;
  readonly snapshotEditor: SnapshotEditor;
  readonly recordings: RecordingTasks;
  readonly tools: LanguageModelTools;
  readonly runCommand: CommandRunner;
  readonly messages: OutOfMemoryMessages;
  /** A copy of the report, null without one. */
  report(): ReportJson | null;
  debugConfigurations(): vscode.DebugConfiguration[];
}

export function createSurfaces(context: vscode.ExtensionContext, beginnings: Beginnings): Surfaces {
  useTranslations(vscode.l10n.bundle ?? {});
  const { log, watchers, marks, trees } = beginnings;
  const cells = new NotebookCells();
  const files = new PythonFiles(cells);
  const store = new ResultsStore((file) => files.uri(file) !== undefined);
  const texts = new RecordedTexts(store, files);
  const lines = new MarkedLines(texts);
  const bundle = (name: string): string => vscode.Uri.joinPath(context.extensionUri, 'dist', name).fsPath;
  const scripts = { worker: bundle('worker.cjs'), reader: bundle('reader.cjs') };
  const session = new SnapshotSession(watchers, scripts, cacheFolder(context), store, files, cells, log);

  const grouping = new LeakGrouping(context.workspaceState);
  const editorMarks = new EditorMarks(store, files, marks, lines);
  const views = new Views(trees, session, store, files, grouping, editorMarks);
  const { extensionUri } = context;
  const timeline = new Timelines({ extensionUri, session, store, files, lines, marks: editorMarks, log });
  const ignored = new IgnoreFiles(files);
  const lenses = new LensProvider(editorMarks);
  const recorder = vscode.Uri.joinPath(extensionUri, 'recorder', 'leakline_recorder', '__main__.py').fsPath;
  const interpreters = new Interpreters(recorder, context.workspaceState);
  const recordings = new RecordingTasks(recorder, interpreters);
  const packages = vscode.Uri.joinPath(extensionUri, 'recorder').fsPath;
  const running = new RunningPrograms(packages, interpreters, store, (place) => openSource(files, lines, place));
  const fixes = new FixPreview(files);
  const recordAgain = new RecordAgain(session, store, files, recordings);
  const snapshotEditor = new SnapshotEditor(session, timeline);
  const messages = new OutOfMemoryMessages(
    store,
    files,
    cells,
    recordings,
    (stacks) => session.candidates(stacks),
    (error) => log.warn(`Out-of-memory message: ${sentenceOf(error)}`),
  );

  context.subscriptions.push(
    store,
    cells,
    files,
    texts,
    lines,
    editorMarks,
    ignored,
    session,
    grouping,
    views,
    timeline,
    lenses,
    fixes,
    snapshotEditor,
    running,
    new ContextKeys(session, store, running),
    new StatusBar(session, store, editorMarks),
    new LineDecorations(editorMarks, vscode.Uri.joinPath(extensionUri, 'media')),
    new LeakAlerts(session, store, context.workspaceState),
    new LeakDiagnostics(editorMarks, files),
    vscode.languages.registerCodeActionsProvider(PYTHON_FILES, new LeakActions(editorMarks, files), {
      providedCodeActionKinds: LeakActions.kinds,
    }),
    vscode.window.registerFileDecorationProvider(new IgnoredRows()),
    vscode.languages.registerCodeLensProvider(PYTHON_FILES, lenses),
    vscode.languages.registerHoverProvider(PYTHON_FILES, new MarkHoverProvider(editorMarks)),
    ignored.onDidChange(() => {
      store.setIgnored(ignored.leaks);
      if (store.comparison !== null) session.remap();
    }),
    store.onDidBeginRun(() => lines.reset()),
    files.onDidChange(() => session.remap()),
    files.onDidWrite((file) => {
      if (store.marksOf(file).length > 0 && !editorMarks.isOpen(file)) session.resourced();
    }),
    cells.onDidChange(() => session.remap()),
    vscode.workspace.onDidChangeWorkspaceFolders(() => session.refolder()),
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (affects(event, Setting.pathsMap) || affects(event, Setting.gpuCapacity)) session.remap();
      const { snapshotsInclude, snapshotsExclude, readingTimeLimit, cacheMaxSize } = Setting;
      if (affects(event, readingTimeLimit) || affects(event, cacheMaxSize)) void session.reconfigure();
      if (affects(event, snapshotsInclude) || affects(event, snapshotsExclude)) void session.readAgain();
    }),
  );
  session.start();
  return {
    session,
    store,
    report: () => (store.result === null ? null : structuredClone(reportJson(store.result.report))),
    views,
    timeline,
    snapshotEditor,
    recordings,
    tools: languageModelTools(session, store, messages),
    runCommand: commandRunner({
      ...{ session, store, files, marks, lines, views, grouping, timeline },
      leaks: new LeakCommands(store, files, lines, editorMarks, ignored, fixes),
      ...{ recordings, running, fixes, recordAgain, messages, log, context },
    }),
    messages,
    debugConfigurations: recordingDebugConfigurations,
  };
}

/** The cache is in VS Code's storage folder. */
function cacheFolder({ storageUri, globalStorageUri }: vscode.ExtensionContext): string | null {
  const storage = storageUri ?? globalStorageUri;
  return storage.scheme === 'file' ? vscode.Uri.joinPath(storage, 'columns').fsPath : null;
}
