import * as vscode from 'vscode';
import { rateOf } from '../../core/present/findingSentence.js';
import { peakShort } from '../../core/present/peakText.js';
import { processTitle } from '../../core/present/processTitle.js';
import { presentFinding } from '../../core/present/presented.js';
import { leaksShort, stepsLeft } from '../../core/present/summary.js';
import { sum } from '../../core/report/lineSelection.js';
import { failureText } from '../../core/present/failed.js';
import { verdictSentence } from '../../core/present/runText.js';
import { lastFailure } from '../../core/report/peak/outOfMemory.js';
import { isLoneSnapshot } from '../../core/report/snapshotReport.js';
import type { RunReport } from '../../core/report/report.js';
import { byteText } from '../../core/text/numberText.js';
import { visibleLines, visibleText } from '../../core/text/plainText.js';
import { Command, InternalCommand } from '../contributions.js';
import { Listener } from '../disposer.js';
import type { EditorMarks } from '../marks/editorMarks.js';
import type { FindingMark } from '../results/findingMarks.js';
import type { MarkTone } from '../results/lineMarks.js';
import type { ResultsStore } from '../results/resultsStore.js';
import { peaksToShow, newestFirst } from '../results/runOrder.js';
import type { SnapshotSession } from '../session.js';
import { commandLink, escapeMarkdown } from '../text/markdownText.js';
import { nameAndLine } from '../../core/text/pathText.js';

type Text = readonly [icon: string, short: string, tooltip: string | vscode.MarkdownString];

/** Maximum number of findings that the tooltip lists. */
const MAX_FINDINGS = 5;

/** One item: the progress of reading, the rate of the worst run, or no leak. It names the product. */
export class StatusBar extends Listener {
  private readonly item: vscode.StatusBarItem;

  constructor(
    private readonly session: SnapshotSession,
    private readonly store: ResultsStore,
    private readonly marks: EditorMarks,
  ) {
    super();
    this.item = vscode.window.createStatusBarItem('leakline.status', vscode.StatusBarAlignment.Left);
    this.item.name = 'Leakline';
    this.item.command = Command.showLeaks;
    const refresh = (): void => this.refresh();
    this.subscriptions = [
      session.onDidChange(refresh),
      store.onDidChange(refresh),
      marks.onDidMove(refresh),
      this.item,
    ];
  }

  private refresh(): void {
    const text = this.problemText() ?? this.readingText() ?? this.resultText();
    if (text === null) {
      this.item.hide();
      return;
    }
    const [icon, short, tooltip] = text;
    this.item.text = visibleText([`${icon} Leakline`, short].filter(Boolean).join(': '));
    this.item.tooltip = typeof tooltip === 'string' ? visibleLines(tooltip) : tooltip;
    this.item.show();
  }

  private problemText(): Text | null {
    const { problem } = this.session;
    return problem === null ? null : ['$(warning)', '', problem];
  }

  private readingText(): Text | null {
    let waiting = 0;
    let done = 0;
    let known = false;
    for (const { phase, snapshots, origin } of this.session.entries) {
      if (phase === 'ready') done++;
      if (phase === 'queued' || phase === 'reading') waiting++;
      known ||= snapshots !== null || (origin === 'opened' && waiting > 0);
    }
    // Shows nothing about pickles before the first snapshot.
    if (waiting === 0 || !known) return null;
    return ['$(loading~spin)', `${done}/${done + waiting}`, vscode.l10n.t('Reading snapshots')];
  }

  private resultText(): Text | null {
    const runs = this.store.result?.report.runs ?? [];
    if (runs.length === 0) return null;
    const { leaks } = this.marks;
    if (leaks.length > 0) return this.leakText(leaks);
    if (this.store.findings.some(({ tone }) => tone === 'leak')) return this.fixedText(runs);
    const failure = lastFailure(runs.flatMap(({ outOfMemory }) => outOfMemory));
    if (failure !== null) return ['$(error)', vscode.l10n.t('out of memory'), failureText(failure)];
    const tone = this.store.findings.at(0)?.tone;
    if (tone !== undefined) {
      const [icon, short] = growthText(tone);
      return [icon, short, tooltipOf(this.store.findings.filter((finding) => finding.tone === tone))];
    }
    const [newest] = newestFirst(runs);
    if (isLoneSnapshot(newest) || newest.laterGrowth !== null) {
      // The first row of the Leaks view; its holders are in the tooltip.
      const highest = peaksToShow(runs).find((one) => one.failure === null);
      return [
        '$(graph)',
        highest === undefined ? '' : peakShort(highest.peak),
        verdictSentence(highest?.run ?? newest),
      ];
    }
    if (runs.every(({ verdict }) => verdict === 'tooShort')) {
      const why = vscode.l10n.t(
        'Too short for a verdict: record at least 3 snapshots, or one with a trace of at least 15 steps.',
      );
      return ['$(watch)', vscode.l10n.t('needs more snapshots'), why];
    }
    const first = newest.process.at(0);
    if (first !== undefined) return ['$(server-process)', processTitle(first), verdictSentence(newest)];
    return runs.some(({ lines }) => lines.some((line) => line.ignored && line.verdict === 'leak'))
      ? ['$(check)', vscode.l10n.t('no new leak'), vscode.l10n.t('Every leak is ignored or in the baseline')]
      : ['$(check)', vscode.l10n.t('no leak'), vscode.l10n.t('No line leaks in the snapshots read')];
  }

  private leakText(leaks: readonly FindingMark[]): Text {
    // The rate is that of the worst run: rates of several runs are never added up.
    const { run } = leaks[0].parts[0];
    const rate = sum(leaks, ({ parts }) => parts.find((part) => part.run === run)?.finding.bytesPerStep ?? 0);
    const amount = rateOf(rate, run.steps) ?? byteText(leaks[0].parts[0].finding.bytes);
    const short = leaksShort(leaks.length, amount, stepsLeft(run));
    return ['$(arrow-up)', short, tooltipOf(leaks)];
  }

  /** All leaks were edited since; the next run shows the effect. */
  private fixedText(runs: readonly RunReport[]): Text {
    const [newest] = newestFirst(runs);
    const leaksStill = this.store.findings.some(
      ({ tone, parts }) => tone === 'leak' && parts.some(({ run }) => run === newest),
    );
    return leaksStill
      ? ['$(edit)', vscode.l10n.t('record again'), vscode.l10n.t('All leaking statements were edited. Record again.')]
      : ['$(check)', vscode.l10n.t('no leak'), vscode.l10n.t('No line leaks in the newest run')];
  }
}

/** Findings that are no leaks. */
function growthText(tone: MarkTone): [icon: string, short: string] {
  if (tone === 'cycle') return ['$(sync)', vscode.l10n.t('cycle')];
  return tone === 'growing' ? ['$(watch)', vscode.l10n.t('growing')] : ['$(arrow-up)', vscode.l10n.t('growth')];
}

/** Findings with links to their lines. */
function tooltipOf(findings: readonly FindingMark[]): vscode.MarkdownString {
  const rows = findings.slice(0, MAX_FINDINGS).map(({ file, line, mapped, parts: [worst] }) => {
    const place = nameAndLine({ file, line });
    const at = mapped ? commandLink(place, InternalCommand.openSource, [{ file, line }]) : escapeMarkdown(place);
    return `- ${at}: ${escapeMarkdown(presentFinding(worst).sentence)}`;
  });
  const rest = findings.length - rows.length;
  if (rest > 0) rows.push(`- ${vscode.l10n.t('{0} more', rest)}`);
  const tooltip = new vscode.MarkdownString(rows.join('\n'));
  tooltip.isTrusted = { enabledCommands: [InternalCommand.openSource] };
  return tooltip;
}
