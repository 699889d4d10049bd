import * as vscode from 'vscode';
import { rateOf } from '../../core/present/findingSentence.js';
import { leakAlert, runningOutAlert, stepsLeft } from '../../core/present/summary.js';
import { visibleText } from '../../core/text/plainText.js';
import type { RunReport } from '../../core/report/report.js';
import { InternalCommand } from '../contributions.js';
import { Listener } from '../disposer.js';
import type { FindingMark } from '../results/findingMarks.js';
import type { ResultsStore } from '../results/resultsStore.js';
import { runKey } from '../results/runOrder.js';
import { leakRate, runNames } from '../results/runText.js';
import type { SnapshotSession } from '../session.js';
import { alertWhen } from '../settings.js';
import { nameAndLine } from '../../core/text/pathText.js';
import { folderName } from '../workspace/folderName.js';
import { alertFor, RunsInProgress, type AlertKind } from './alertPolicy.js';

const ALERTED_KEY = 'leakline.alerted';
const MUTED = 'muted';
/** Maximum number of runs remembered; the oldest are forgotten. */
const MAX_RUNS = 200;

/** One notification when a running training certainly leaks, and one when little memory is left. */
export class LeakAlerts extends Listener {
  private readonly runs = new RunsInProgress(Date.now() * 1000);

  constructor(
    private readonly session: SnapshotSession,
    private readonly store: ResultsStore,
    private readonly state: vscode.Memento,
  ) {
    super();
    this.subscriptions = [store.onDidChange(() => this.check())];
  }

  private check(): void {
    const runs = this.store.result?.report.runs ?? [];
    this.runs.observe(runs, !this.session.reading);
    const when = alertWhen();
    for (const run of runs.filter((one) => this.runs.goesOn(one))) {
      const alerted = this.alerted(run);
      const kind = alerted.includes(MUTED) ? null : alertFor(run, when, alerted);
      if (kind === null) continue;
      void this.remember(run, kind);
      void this.say(run, kind);
    }
  }

  private alerted(run: RunReport): readonly string[] {
    return this.state.get<Record<string, string[]>>(ALERTED_KEY, {})[runKey(run)] ?? [];
  }

  private async remember(run: RunReport, what: string): Promise<void> {
    const { [runKey(run)]: alerted = [], ...others } = this.state.get<Record<string, string[]>>(ALERTED_KEY, {});
    const entries = [...Object.entries(others), [runKey(run), [...alerted, what]] as const];
    await this.state.update(ALERTED_KEY, Object.fromEntries(entries.slice(-MAX_RUNS)));
  }

  private async say(run: RunReport, kind: AlertKind): Promise<void> {
    const show = vscode.l10n.t('Show');
    const mute = vscode.l10n.t('Mute This Run');
    const choice = await vscode.window.showWarningMessage(visibleText(this.sentence(run, kind)), show, mute);
    if (choice === mute) await this.remember(run, MUTED);
    const worst = this.worstOf(run);
    if (choice === show && worst !== undefined) {
      const place = { file: worst.file, line: worst.line };
      await vscode.commands.executeCommand(InternalCommand.showLine, place);
      if (worst.mapped) await vscode.commands.executeCommand(InternalCommand.openSource, place);
    }
  }

  /** Each snapshot makes another report of the same run. */
  private worstOf(run: RunReport): FindingMark | undefined {
    const key = runKey(run);
    return this.store.findings.find(
      ({ tone, parts }) => tone === 'leak' && parts.some((part) => runKey(part.run) === key),
    );
  }

  private sentence(run: RunReport, kind: AlertKind): string {
    const runs = this.store.result?.report.runs ?? [run];
    const name = runNames(runs, folderName).get(run.id) ?? run.id;
    const worst = this.worstOf(run);
    const at = worst?.lines[0].parts[0].line.unfound ?? worst;
    const place = at === undefined ? '' : nameAndLine(at);
    return kind === 'runningOut'
      ? runningOutAlert(name, stepsLeft(run) ?? 0, place)
      : leakAlert(name, rateOf(leakRate(run), run.steps), place);
  }
}
