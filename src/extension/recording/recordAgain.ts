import * as vscode from 'vscode';
import { fixSentence } from '../../core/render/fixText.js';
import type { RunReport } from '../../core/report/report.js';
import { Command, View } from '../contributions.js';
import { pairOfRuns } from '../commands/commandArguments.js';
import type { FindingMark } from '../results/findingMarks.js';
import { newestFirst, runKey } from '../results/runOrder.js';
import type { ResultsStore } from '../results/resultsStore.js';
import type { SnapshotSession } from '../session.js';
import type { PythonFiles } from '../workspace/pythonFiles.js';
import { runRecording } from './runRecording.js';
import type { RecordingTasks } from './recordingTask.js';

/** Time limit for the last snapshots after a program has ended, in milliseconds. */
const LATEST_MS = 60_000;

/** Runs the program of a finding under the recorder again, and shows whether the leak is gone. */
export class RecordAgain {
  constructor(
    private readonly session: SnapshotSession,
    private readonly store: ResultsStore,
    private readonly files: PythonFiles,
    private readonly tasks: RecordingTasks,
  ) {}

  /** @throws Error with one sentence */
  async run(finding: FindingMark): Promise<void> {
    const before = finding.parts[0].run;
    const program = this.programOf(finding);
    if (program === null) {
      throw new Error(
        vscode.l10n.t(
          'The stacks name no program of this workspace. Run it with recording, then compare the two runs.',
        ),
      );
    }
    // From its first snapshot on, the new run replaces the old one.
    this.store.answer(before, true);
    try {
      const after = await this.record(program, before);
      if (after === null) this.store.answer(before, false);
      else await this.compare(before, after);
    } catch (error) {
      this.store.answer(before, false);
      throw error;
    }
  }

  /** @returns the new run, null if nothing was started */
  private async record(program: vscode.Uri, before: RunReport): Promise<RunReport | null> {
    const known = new Set(this.runs().map(runKey));
    const exitCode = await runRecording(this.tasks, program);
    if (exitCode === null) return null;
    const after = await vscode.window.withProgress(
      { location: vscode.ProgressLocation.Window, title: vscode.l10n.t('Reading the new recording') },
      () => this.newRun(known, before),
    );
    if (after === null) {
      throw new Error(
        exitCode === 0
          ? vscode.l10n.t('The program ended without a new snapshot. The terminal shows the reason.')
          : vscode.l10n.t('The program ended with exit code {0} before a snapshot was recorded.', exitCode),
      );
    }
    return after;
  }

  private async compare(before: RunReport, after: RunReport): Promise<void> {
    const [a, b] = pairOfRuns([before, after]) ?? [];
    await this.session.compare(a, b);
    await vscode.commands.executeCommand(`${View.compare}.focus`);
    const fix = this.store.comparison?.report.fix ?? null;
    if (fix === null) return;
    const clear = vscode.l10n.t('Clear Comparison');
    const { showWarningMessage, showInformationMessage } = vscode.window;
    const show = fix.answer === 'worse' ? showWarningMessage : showInformationMessage;
    // Not awaited: the answer stays until the user closes it.
    void show(fixSentence(fix), clear).then(async (choice) => {
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

  /** The run that was not there before, of the same rank if there are several; null if none appears in time. */
  private async newRun(known: ReadonlySet<string>, { rank }: RunReport): Promise<RunReport | null> {
    const find = (): RunReport | null => {
      const fresh = newestFirst(this.runs()).filter((run) => !known.has(runKey(run)));
      return this.session.reading ? null : (fresh.find((run) => run.rank === rank) ?? fresh.at(0) ?? null);
    };
    const end = Date.now() + LATEST_MS;
    for (;;) {
      const run = find();
      if (run !== null || Date.now() > end) return run;
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  }
}
