import * as vscode from 'vscode';
import { countText } from '../../core/text/numberText.js';
import { Command } from '../contributions.js';
import { disposeAll, type Disposer } from '../disposer.js';
import type { EditorMarks } from '../marks/editorMarks.js';
import { rateText } from '../marks/markText.js';
import type { ResultsStore } from '../results/resultsStore.js';
import { leakRate } from '../results/runText.js';
import type { SnapshotSession } from '../session.js';

/** One item: what is being read, or the rate of the worst run, or that nothing leaks. */
export class StatusBar implements vscode.Disposable {
  private readonly item: vscode.StatusBarItem;
  private readonly subscriptions: readonly Disposer[];

  constructor(
    private readonly session: SnapshotSession,
    private readonly store: ResultsStore,
    private readonly marks: EditorMarks,
  ) {
    this.item = vscode.window.createStatusBarItem('leakline.status', vscode.StatusBarAlignment.Left);
    this.item.name = 'Leakline';
    this.item.command = Command.showLeaks;
    const refresh = (): void => {
      this.refresh();
    };
    this.subscriptions = [
      session.onDidChange(refresh),
      store.onDidChange(refresh),
      marks.onDidMove(refresh),
      this.item,
    ];
  }

  dispose(): void {
    disposeAll(this.subscriptions);
  }

  private refresh(): void {
    const text = this.problemText() ?? this.readingText() ?? this.resultText();
    if (text === null) {
      this.item.hide();
      return;
    }
    [this.item.text, this.item.tooltip] = text;
    this.item.show();
  }

  private problemText(): [string, string] | null {
    const { problem } = this.session;
    return problem === null ? null : ['$(warning) Leakline', problem];
  }

  private readingText(): [string, string] | null {
    let waiting = 0;
    let done = 0;
    let known = false;
    for (const { phase, snapshots, origin } of this.session.entries) {
      if (phase === 'ready') done++;
      if (phase === 'queued' || phase === 'reading') waiting++;
      known ||= snapshots !== null || (origin === 'opened' && waiting > 0);
    }
    // Until a first snapshot is known, the pickles of a workspace are not worth a word.
    if (waiting === 0 || !known) return null;
    return [
      `$(loading~spin) ${vscode.l10n.t('Leakline {0}/{1}', done, done + waiting)}`,
      vscode.l10n.t('Reading snapshots'),
    ];
  }

  private resultText(): [string, string] | null {
    const runs = this.store.result?.report.runs ?? [];
    if (runs.length === 0) return null;
    const worst = runs.reduce((a, b) => (leakRate(b) > leakRate(a) ? b : a));
    const rate = rateText(worst, { bytesPerStep: leakRate(worst) }, vscode.l10n);
    if (rate !== null) {
      const lines = this.marks.unedited.length;
      const count =
        lines === 0
          ? vscode.l10n.t('what leaked was edited since: record again to see what that did')
          : lines === 1
            ? vscode.l10n.t('1 line leaks')
            : vscode.l10n.t('{0} lines leak', lines);
      const full = worst.forecast === null ? '' : ` · ${forecastText(worst.forecast.stepsToOom)}`;
      return [`$(arrow-up) ${rate}${full}`, `Leakline: ${count}`];
    }
    const tones = new Set(this.store.marks.map(({ tone }) => tone));
    if (tones.has('leak')) return [`$(arrow-up) ${vscode.l10n.t('leak')}`, vscode.l10n.t('Leakline: lines leak')];
    if (tones.has('cycle')) {
      return [`$(sync) ${vscode.l10n.t('cycle')}`, vscode.l10n.t('Leakline: reference cycles hold memory')];
    }
    if (tones.has('growing')) {
      return [
        `$(watch) ${vscode.l10n.t('rising')}`,
        vscode.l10n.t('Leakline: too early to tell a buffer that fills up from a leak'),
      ];
    }
    if (tones.has('growth')) {
      return [`$(arrow-up) ${vscode.l10n.t('growth')}`, vscode.l10n.t('Leakline: memory grows, too early to judge')];
    }
    if (runs.every(({ verdict }) => verdict === 'tooShort')) {
      return [
        `$(watch) ${vscode.l10n.t('needs more snapshots')}`,
        vscode.l10n.t('Leakline: one snapshot tells little; dump more of them while training runs'),
      ];
    }
    return [`$(check) ${vscode.l10n.t('no leak')}`, vscode.l10n.t('Leakline: no line leaks in the snapshots read')];
  }
}

/** When the device will be full. */
function forecastText(steps: number): string {
  return steps === 1 ? vscode.l10n.t('full in 1 step') : vscode.l10n.t('full in {0} steps', countText(steps));
}
