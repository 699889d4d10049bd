import * as vscode from 'vscode';
import { visibleLines, visibleText } from '../../core/text/plainText.js';
import { Command, InternalCommand, View, type CommandId } from '../contributions.js';
import type { FixPreview } from '../fix/fixPreview.js';
import type { MarkedLines } from '../marks/markedLines.js';
import type { MarkSwitch } from '../marks/markSwitch.js';
import type { OutOfMemoryMessages } from '../oom/outOfMemoryMessages.js';
import type { AnotherRun, RecordAgain } from '../recording/recordAgain.js';
import type { RecordingTasks } from '../recording/recordingTask.js';
import { runWithRecording } from '../recording/runRecording.js';
import type { RunningPrograms } from '../recording/runningPrograms.js';
import type { FindingMark } from '../results/findingMarks.js';
import type { ResultsStore } from '../results/resultsStore.js';
import type { SnapshotSession } from '../session.js';
import type { Timelines } from '../timeline/timelines.js';
import type { LeakGrouping } from '../views/leakGrouping.js';
import type { Views } from '../views/views.js';
import { isSourcePlace, openSource } from '../workspace/openSource.js';
import type { PythonFiles } from '../workspace/pythonFiles.js';
import { pathsOf, runsOf, pairOfRuns } from './commandArguments.js';
import { compareSnapshots } from './compareSnapshots.js';
import type { LeakCommands } from './leakCommands.js';
import { mapRecordedFolder } from './mapRecordedFolder.js';
import { insertRecordingCode } from './recordingCode.js';
import { sentenceOf } from '../text/fileSentence.js';
import { browse } from './pickSnapshot.js';

/** The surfaces that commands work on. */
interface CommandSurfaces {
  readonly session: SnapshotSession;
  readonly store: ResultsStore;
  readonly files: PythonFiles;
  readonly marks: MarkSwitch;
  readonly lines: MarkedLines;
  readonly leaks: LeakCommands;
  readonly views: Views;
  readonly grouping: LeakGrouping;
  readonly timeline: Timelines;
  readonly recordings: RecordingTasks;
  readonly running: RunningPrograms;
  readonly fixes: FixPreview;
  readonly recordAgain: RecordAgain;
  readonly messages: OutOfMemoryMessages;
  readonly log: vscode.LogOutputChannel;
  readonly context: vscode.ExtensionContext;
}

/** Every command by its id. */
function commandHandlers(surfaces: CommandSurfaces): Record<CommandId, CommandHandler> {
  const { session, store, files, marks, lines, leaks, views, timeline } = surfaces;
  const { grouping, recordings, running, fixes, recordAgain, messages, log, context } = surfaces;
  const compare: CommandHandler = (first, all) =>
    compareSnapshots(session, store, timeline, pairOfRuns(runsOf(first, all)) ?? pathsOf(first, all));
  /** Offers a retry after a failure. */
  const prove = async (finding: FindingMark, another: AnotherRun): Promise<void> => {
    try {
      await recordAgain.run(finding, another);
    } catch (error) {
      const again = vscode.l10n.t('Record Again');
      if ((await vscode.window.showErrorMessage(sentenceOf(error), again)) === again)
        await vscode.commands.executeCommand(Command.recordAgain, finding);
    }
  };
  const showOnTimeline: CommandHandler = (first) => timeline.show({ path: pathsOf(first, null).at(0) ?? null });
  return {
    [Command.compareSnapshots]: compare,
    [Command.compareSelected]: compare,
    [Command.clearComparison]: () => store.setComparison(null),
    [Command.openTimeline]: showOnTimeline,
    [Command.openTimelineInEditor]: () => timeline.openInEditor(),
    [Command.showSnapshotOnTimeline]: showOnTimeline,
    [Command.showLineOnTimeline]: (place) => timeline.show({ path: null, highlight: placeOf(place) }),
    [Command.openSnapshot]: (first, all) => openSnapshot(session, store, timeline, pathsOf(first, all)),
    [Command.openExample]: () => openExample(context),
    [Command.showLeaks]: () => vscode.commands.executeCommand(`${View.leaks}.focus`),
    [Command.groupByLine]: () => grouping.set('line'),
    [Command.groupByFile]: () => grouping.set('file'),
    [Command.groupByHolder]: () => grouping.set('holder'),
    [Command.goToNextLeak]: () => leaks.goTo(1),
    [Command.goToPreviousLeak]: () => leaks.goTo(-1),
    [Command.toggleLineMarks]: async () => {
      const shown = await marks.toggle();
      const text = shown ? vscode.l10n.t('Leakline: marks on') : vscode.l10n.t('Leakline: marks off');
      vscode.window.setStatusBarMessage(text, 3_000);
    },
    [Command.mapRecordedFolder]: () => mapRecordedFolder(store),
    [Command.insertRecordingCode]: insertRecordingCode,
    [Command.runWithRecording]: (target) => runWithRecording(recordings, target instanceof vscode.Uri ? target : null),
    [Command.attach]: () => running.attach(),
    [Command.detach]: () => running.detach(),
    [Command.dumpNow]: () => running.dumpNow(),
    [Command.showHolders]: () => running.showHolders(),
    [Command.recorderPath]: () => recordings.recorder,
    [Command.copyReport]: () => leaks.copyReport(),
    [Command.clearResults]: () => {
      messages.clearAll();
      return session.clearAll();
    },
    [Command.readAgain]: () => session.readAgain(),
    [Command.revealSnapshot]: async (first) => {
      for (const path of pathsOf(first, null)) await revealSnapshot(session.fileOf(path));
    },
    [Command.forgetSnapshot]: async (first, all) => {
      await Promise.all(pathsOf(first, all).map((path) => session.forget(path)));
    },
    [Command.ignoreLeak]: (place) => leaks.ignore(place),
    [Command.stopIgnoring]: (place) => leaks.stopIgnoring(place),
    [Command.fixLeak]: (place) => leaks.fix(place),
    [Command.applyFix]: async () => {
      const finding = await fixes.apply();
      const record = vscode.l10n.t('Record Again and Compare');
      // Not waited for: the fix is made.
      void vscode.window.showInformationMessage(vscode.l10n.t('The fix is applied.'), record).then(async (choice) => {
        if (choice === record) await vscode.commands.executeCommand(Command.recordAgain, finding);
      });
    },
    [Command.applyFixAndRecord]: async () => {
      const another = await recordAgain.prepare(fixes.shown);
      if (another !== null) await prove(await fixes.apply(), another);
    },
    [Command.recordAgain]: async (place) => {
      const finding = leaks.recordable(place);
      const another = await recordAgain.prepare(finding);
      if (another !== null) await prove(finding, another);
    },
    [Command.explainOom]: () => messages.explainPassed(),
    [Command.showLog]: () => log.show(),
    [InternalCommand.showMessage]: (place) => messages.show(place),
    [InternalCommand.showWhatIf]: (path) =>
      typeof path === 'string' ? timeline.show({ path, pane: 'whatIf' }) : undefined,
    [InternalCommand.showLine]: (place) => views.reveal(placeOf(place)),
    [InternalCommand.openSource]: (place, options) =>
      openSource(files, lines, placeOf(place), { preserveFocus: isPreview(options) }),
  };
}

function placeOf(value: unknown): { file: string; line: number } {
  if (!isSourcePlace(value)) throw new Error(vscode.l10n.t('Run this command on a marked line.'));
  return { file: value.file, line: value.line };
}

/** A click on a tree row shows a file and leaves the focus in the tree. */
function isPreview(options: unknown): boolean {
  return (
    typeof options === 'object' && options !== null && 'preserveFocus' in options && options.preserveFocus === true
  );
}

type CommandHandler = (...args: unknown[]) => unknown;

/** Runs a command on its arguments. */
export type CommandRunner = (id: CommandId, args: readonly unknown[]) => Promise<unknown>;

/** @returns a runner of commands. A failure shows one message; the log has the details. */
export function commandRunner(surfaces: CommandSurfaces): CommandRunner {
  const handlers = commandHandlers(surfaces);
  return async (id, args) => {
    try {
      return await handlers[id](...args);
    } catch (error) {
      const sentence = sentenceOf(error);
      surfaces.log.error(`${id}: ${sentence}`);
      void vscode.window.showErrorMessage(visibleLines(sentence));
      return undefined;
    }
  };
}

/** Reads files that the user names, and shows the last of them on the timeline. */
async function openSnapshot(
  session: SnapshotSession,
  store: ResultsStore,
  timeline: Timelines,
  selected: readonly string[],
): Promise<void> {
  const paths = selected.length > 0 ? selected : await browse(vscode.l10n.t('Open Snapshot'), true);
  const last = paths.at(-1);
  if (last === undefined) return;
  let shown = last;
  await vscode.window.withProgress(
    { location: vscode.ProgressLocation.Window, title: vscode.l10n.t('Reading snapshots') },
    async () => {
      const opened = await Promise.all(paths.map((path) => session.open(path)));
      shown = opened.at(-1)?.at(-1)?.path ?? last;
      await session.reported();
    },
  );
  // Reference cycles have no course over time: they are a row of the view.
  const isCycles = store.result?.report.cycles.some(({ path }) => path === last) === true;
  if (isCycles) await vscode.commands.executeCommand(`${View.snapshots}.focus`);
  else await timeline.show({ path: shown });
}

/**
 * Opens a fresh copy of the example, a training program with a leak and its recording, in place of an empty window or
 * in one of its own.
 */
async function openExample({ extensionUri, globalStorageUri }: vscode.ExtensionContext): Promise<void> {
  const copy = vscode.Uri.joinPath(globalStorageUri, 'detector');
  await vscode.workspace.fs.copy(vscode.Uri.joinPath(extensionUri, 'examples', 'detector'), copy, { overwrite: true });
  const forceNewWindow = vscode.workspace.workspaceFolders !== undefined;
  await vscode.commands.executeCommand('vscode.openFolder', copy, { forceNewWindow });
}

/**
 * Shows a file in the Explorer view or in the system's file manager. A remote machine has none: a message shows the
 * path.
 */
async function revealSnapshot(path: string): Promise<void> {
  const uri = vscode.Uri.file(path);
  if (vscode.workspace.getWorkspaceFolder(uri) !== undefined) {
    await vscode.commands.executeCommand('revealInExplorer', uri);
  } else if (vscode.env.remoteName === undefined && vscode.env.uiKind === vscode.UIKind.Desktop) {
    await vscode.commands.executeCommand('revealFileInOS', uri);
  } else {
    const copy = vscode.l10n.t('Copy Path');
    const notice = vscode.window.showInformationMessage(
      vscode.l10n.t('{0} is not in this workspace.', visibleText(path)),
      copy,
    );
    void notice.then(async (choice) => {
      if (choice === copy) await vscode.env.clipboard.writeText(path);
    });
  }
}
