/** Composes the extension. Each surface is a file of its own and knows the others by their interfaces only. */
import * as vscode from 'vscode';
import { useTranslations } from '../core/text/translate.js';
import { leaklineApi, type LeaklineApi } from './api.js';
import { LeakAlerts } from './alerts/leakAlerts.js';
import { commandHandlers, registerCommands } from './commands/commands.js';
import { Setting } from './contributions.js';
import { registerLanguageModelTools } from './languageModel/tools.js';
import { EditorMarks } from './marks/editorMarks.js';
import { GutterGlyphs } from './marks/gutterGlyphs.js';
import { FixPreview } from './fix/fixPreview.js';
import { LeakActions } from './fix/leakActions.js';
import { LeakDiagnostics } from './fix/leakDiagnostics.js';
import { IgnoredRows } from './ignore/ignoredRows.js';
import { IgnoreFiles } from './ignore/ignoreFiles.js';
import { MarkHoverProvider } from './marks/hoverProvider.js';
import { LensProvider } from './marks/lensProvider.js';
import { LineDecorations } from './marks/lineDecorations.js';
import { MarkedLines } from './marks/markedLines.js';
import { MarkSwitch } from './marks/markSwitch.js';
import { CELL_SCHEME, NotebookCells } from './notebooks/notebookCells.js';
import { RecordAgain } from './recording/recordAgain.js';
import { RecordingTasks, registerRecording } from './recording/recordingTask.js';
import { RecordedTexts } from './marks/recordedTexts.js';
import { ResultsStore } from './results/resultsStore.js';
import { SnapshotSession } from './session.js';
import { affects } from './settings.js';
import { SnapshotEditor } from './snapshots/snapshotEditor.js';
import { Timelines } from './timeline/timelines.js';
import { ContextKeys } from './views/contextKeys.js';
import { LeakGrouping } from './views/leakGrouping.js';
import { StatusBar } from './views/statusBar.js';
import { Views } from './views/views.js';
import { PythonFiles } from './workspace/pythonFiles.js';

/** Lenses and hovers belong to Python files on a disk and to cells of notebooks: snapshots cannot be of others. */
const PYTHON_FILES: vscode.DocumentSelector = [
  { language: 'python', scheme: 'file' },
  { language: 'python', scheme: CELL_SCHEME },
];

let session: SnapshotSession | undefined;

export function activate(context: vscode.ExtensionContext): LeaklineApi {
  useTranslations(vscode.l10n.bundle ?? {});
  const log = vscode.window.createOutputChannel('Leakline', { log: true });
  const cells = new NotebookCells();
  const files = new PythonFiles(cells);
  const store = new ResultsStore((file) => files.uri(file) !== undefined);
  const marks = new MarkSwitch(context.workspaceState);
  const texts = new RecordedTexts(store, files);
  const lines = new MarkedLines(texts);
  const bundle = (name: string): string => vscode.Uri.joinPath(context.extensionUri, 'dist', name).fsPath;
  const scripts = { worker: bundle('worker.cjs'), reader: bundle('reader.cjs') };
  const running = new SnapshotSession(scripts, cacheFolder(context), store, files, cells, log);
  session = running;

  const grouping = new LeakGrouping(context.workspaceState);
  const editorMarks = new EditorMarks(store, files, marks, lines);
  const views = new Views(running, store, files, grouping, editorMarks);
  const timeline = new Timelines({
    extensionUri: context.extensionUri,
    session: running,
    store,
    files,
    lines,
    log,
  });
  const ignored = new IgnoreFiles(files);
  const lenses = new LensProvider(editorMarks);
  const recorder = vscode.Uri.joinPath(context.extensionUri, 'recorder', 'leakline_recorder', '__main__.py').fsPath;
  const recordings = new RecordingTasks(recorder);
  const fixes = new FixPreview(files);
  const recordAgain = new RecordAgain(running, store, files, recordings);
  const surfaces = {
    session: running,
    store,
    files,
    marks,
    texts,
    lines,
    editorMarks,
    ignored,
    grouping,
    views,
    timeline,
    recordings,
    fixes,
    recordAgain,
    log,
  };

  context.subscriptions.push(
    log,
    store,
    cells,
    files,
    marks,
    lines,
    editorMarks,
    ignored,
    running,
    grouping,
    views,
    timeline,
    lenses,
    fixes,
    new SnapshotEditor(running, timeline),
    new ContextKeys(running, store),
    new StatusBar(running, store, editorMarks),
    new LineDecorations(editorMarks),
    new GutterGlyphs(editorMarks, vscode.Uri.joinPath(context.extensionUri, 'media')),
    new LeakAlerts(running, store, context.workspaceState),
    new LeakDiagnostics(editorMarks, files),
    vscode.languages.registerCodeActionsProvider(PYTHON_FILES, new LeakActions(editorMarks, files), {
      providedCodeActionKinds: LeakActions.kinds,
    }),
    vscode.window.registerFileDecorationProvider(new IgnoredRows()),
    vscode.languages.registerCodeLensProvider(PYTHON_FILES, lenses),
    vscode.languages.registerHoverProvider(PYTHON_FILES, new MarkHoverProvider(editorMarks)),
    ...registerRecording(recordings),
    ...registerLanguageModelTools(running, store),
    ...registerCommands(commandHandlers(surfaces), log),
    ignored.onDidChange(() => {
      store.setIgnored(ignored.leaks);
      if (store.comparison !== null) running.remap();
    }),
    store.onDidBeginRun(() => lines.reset()),
    files.onDidChange(() => running.remap()),
    files.onDidWrite((file) => {
      if (store.marksOf(file).length > 0 && !editorMarks.isOpen(file)) running.resourced();
    }),
    cells.onDidChange(() => running.remap()),
    vscode.workspace.onDidChangeWorkspaceFolders(() => running.refolder()),
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (affects(event, Setting.pathsMap) || affects(event, Setting.gpuCapacity)) running.remap();
      const { snapshotsInclude, snapshotsExclude, readingTimeLimit, cacheMaxSize } = Setting;
      if (affects(event, readingTimeLimit) || affects(event, cacheMaxSize)) void running.reconfigure();
      if (affects(event, snapshotsInclude) || affects(event, snapshotsExclude)) void running.readAgain();
    }),
  );
  running.start();
  return leaklineApi(running, store);
}

/** What was read is kept where VS Code has a disk for us. */
function cacheFolder({ storageUri, globalStorageUri }: vscode.ExtensionContext): string | null {
  const storage = storageUri ?? globalStorageUri;
  return storage.scheme === 'file' ? vscode.Uri.joinPath(storage, 'columns').fsPath : null;
}

/** Waits for the worker and the watchers to end. */
export async function deactivate(): Promise<void> {
  await session?.stop();
}
