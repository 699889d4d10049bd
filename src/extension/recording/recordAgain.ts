import * as vscode from 'vscode';
import { visibleText } from '../../core/text/plainText.js';
import { fixSentence } from '../../core/present/fixText.js';
import type { RunReport } from '../../core/report/report.js';
import { trainedSteps } from '../../core/text/runId.js';
import { Command, View } from '../contributions.js';
import { pairOfRuns } from '../commands/commandArguments.js';
import type { FindingMark } from '../results/findingMarks.js';
import { newestFirst, runKey } from '../results/runOrder.js';
import type { ResultsStore } from '../results/resultsStore.js';
import type { SnapshotSession } from '../session.js';
import type { PythonFiles } from '../workspace/pythonFiles.js';
import { offerInterpreters, prepareRecording, untilFound } from './runRecording.js';
import type { RecordingTasks } from './recordingTask.js';

/** Where an example has a recording of its corrected program, for machines that cannot run it. No watcher looks for such names. */
const SHIPPED = 'fixed/*.snapshot.gz';

/** A run of the program to compare with: of now, or recorded before. */
export type AnotherRun = { readonly record: () => Promise<number> } | { readonly open: readonly vscode.Uri[] };

/** Runs the program of a finding under the recorder again, and shows whether the leak is gone. */
export class RecordAgain {
  constructor(
    private readonly session: SnapshotSession,
    private readonly store: ResultsStore,
    private readonly files: PythonFiles,
    private readonly tasks: RecordingTasks,
  ) {}

  /**
   * Checks how the program of a finding can run again, before anything is changed for it.
   * @returns null if it cannot, after a message
   * @throws Error with one sentence
   */
  async prepare(finding: FindingMark): Promise<AnotherRun | null> {
    const program = this.programOf(finding);
    if (program === null) {
      throw new Error(
        vscode.l10n.t(
          'The stacks name no program of this workspace. Run it with recording, then compare the two runs.',
        ),
      );
    }
    const prepared = await prepareRecording(this.tasks, program);
    if (typeof prepared === 'object') return { record: () => prepared.run() };
    if (prepared === 'unsaved') return null;
    const shipped = await shippedRecording(program);
    const use = shipped.length === 0 ? null : vscode.l10n.t('Use the Recording That Comes with It');
    return (await offerInterpreters(this.tasks, program, prepared, use)) ? { open: shipped } : null;
  }

  /** @throws Error with one sentence */
  async run(finding: FindingMark, another: AnotherRun): Promise<void> {
    const before = finding.parts[0].run;
    // From its first snapshot on, the new run replaces the old one.
    this.store.answer(before, true);
    try {
      await this.compare(before, await this.newRun(another, before), 'open' in another);
    } catch (error) {
      this.store.answer(before, false);
      throw error;
    }
  }

  /** Runs the program, or opens what was recorded of it. @throws Error without a new run */
  private async newRun(another: AnotherRun, before: RunReport): Promise<RunReport> {
    const known = new Set(this.runs().map(runKey));
    let exitCode = 0;
    if ('record' in another) exitCode = await another.record();
    else for (const { fsPath } of another.open) await this.session.open(fsPath);
    const after = await vscode.window.withProgress(
      { location: vscode.ProgressLocation.Window, title: vscode.l10n.t('Reading the new recording') },
      () => this.runBeside(known, before),
    );
    if (after !== null) return after;
    throw new Error(
      exitCode === 0
        ? vscode.l10n.t('The program ended without a new snapshot. The terminal shows the reason.')
        : vscode.l10n.t('The program ended with exit code {0} before a snapshot was recorded.', exitCode),
    );
  }

  private async compare(before: RunReport, after: RunReport, isShipped: boolean): Promise<void> {
    const [a, b] = pairOfRuns([before, after]) ?? [];
    await this.session.compare(a, b);
    await vscode.commands.executeCommand(`${View.compare}.focus`);
    const fix = this.store.comparison?.report.fix ?? null;
    if (fix === null) return;
    const clear = vscode.l10n.t('Clear Comparison');
    const { showWarningMessage, showInformationMessage } = vscode.window;
    const show = fix.answer === 'worse' ? showWarningMessage : showInformationMessage;
    // Not awaited: the answer stays until the user closes it.
    const text = isShipped
      ? vscode.l10n.t('{0} So says the recording that comes with the program: it did not run here.', fixSentence(fix))
      : fixSentence(fix);
    void show(visibleText(text), clear).then(async (choice) => {
      if (choice === clear) await vscode.commands.executeCommand(Command.clearComparison);
    });
  }

  /** The workspace file that Python ran, from the stacks of the leak; null if they have none. */
  private programOf({ parts: [{ finding }] }: FindingMark): vscode.Uri | null {
    for (const { frames } of finding.lines.flatMap(({ stacks }) => stacks)) {
      const main = frames.findLast(
        ({ function: name, file }) => name === '<module>' && this.files.uri(file) !== undefined,
      );
      const uri = main === undefined ? undefined : this.files.uri(main.file);
      if (uri?.scheme === 'file') return uri;
    }
    return null;
  }

  private runs(): readonly RunReport[] {
    return this.store.result?.report.runs ?? [];
  }

  /** The run that was not there before, of the same rank and part of the program if there are several; null if none appears in time. */
  private runBeside(known: ReadonlySet<string>, before: RunReport): Promise<RunReport | null> {
    const isAlike = ({ rank, id }: RunReport): boolean =>
      rank === before.rank && (trainedSteps(id) === null) === (trainedSteps(before.id) === null);
    return untilFound((): RunReport | null => {
      const fresh = newestFirst(this.runs()).filter((run) => !known.has(runKey(run)));
      return this.session.reading ? null : (fresh.find(isAlike) ?? fresh.at(0) ?? null);
    });
  }
}

async function shippedRecording(program: vscode.Uri): Promise<readonly vscode.Uri[]> {
  const folder = vscode.Uri.joinPath(program, '..');
  return vscode.workspace.findFiles(new vscode.RelativePattern(folder, SHIPPED));
}
