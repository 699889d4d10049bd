import * as vscode from 'vscode';
import type { OomExplanation } from '../../core/oom/explanation.js';
import { withIgnored, type IgnoredLeak } from '../../core/report/ignoredLeaks.js';
import type { CompareLine, CompareReport, RunReport } from '../../core/report/report.js';
import type { AnalysisResult } from '../../protocol/workerApi.js';
import { askingMarks, messageMarks, type AskingMark, type SourceMessages } from './askingMarks.js';
import { findingMarks, type FindingMark } from './findingMarks.js';
import { runKey } from './runOrder.js';
import { byFile, comparedLines, isInEditor, lineMarks, type LineMark } from './lineMarks.js';

/** A comparison that the user requested. */
interface Comparison {
  readonly report: CompareReport;
  readonly lines: readonly CompareLine[];
  readonly byFile: ReadonlyMap<string, readonly CompareLine[]>;
}

/** Maximum number of terminals, cells and debuggers whose messages are kept. */
const MAX_SOURCES = 16;

/** The latest results, indexed for the surfaces, which only look up. */
export class ResultsStore implements vscode.Disposable {
  private readonly changedEmitter = new vscode.EventEmitter<void>();
  private readonly runEmitter = new vscode.EventEmitter<void>();
  private runs: ReadonlySet<string> = new Set();
  /** The result, as the worker gave it. */
  private raw: AnalysisResult | null = null;
  private latest: AnalysisResult | null = null;
  private ignoredLeaks: readonly IgnoredLeak[] = [];
  private askers: readonly AskingMark[] = [];
  /** Explained messages, by their source. */
  private readonly messages = new Map<string, SourceMessages>();
  private allMarks: readonly LineMark[] = [];
  private allFindings: readonly FindingMark[] = [];
  private allIgnoredFindings: readonly FindingMark[] = [];
  private markIndex: ReadonlyMap<string, readonly LineMark[]> = new Map();
  private compared: Comparison | null = null;
  /** Runs whose program was recorded again since, with a fix. */
  private readonly answeredRuns = new Set<string>();

  /** A report or a comparison arrived or was cleared. */
  readonly onDidChange = this.changedEmitter.event;
  /** A run that was not in the report before is in it now; fires ahead of {@link onDidChange}. */
  readonly onDidBeginRun = this.runEmitter.event;

  /** @param canOpen true for files of the workspace, by their names in reports */
  constructor(private readonly canOpen: (file: string) => boolean) {}

  get result(): AnalysisResult | null {
    return this.latest;
  }

  /** All marks, worst first. */
  get marks(): readonly LineMark[] {
    return this.allMarks;
  }

  /** Findings: one per bug, the worst first. */
  get findings(): readonly FindingMark[] {
    return this.allFindings;
  }

  /** Findings that the workspace ignores: only the list of leaks shows them. */
  get ignoredFindings(): readonly FindingMark[] {
    return this.allIgnoredFindings;
  }

  /** Leaks that are not reported. */
  get ignored(): readonly IgnoredLeak[] {
    return this.ignoredLeaks;
  }

  get comparison(): Comparison | null {
    return this.compared;
  }

  /** Marks that the editor shows in a workspace file, by line. */
  marksOf(file: string): readonly LineMark[] {
    return this.markIndex.get(file) ?? [];
  }

  /** Lines of the workspace that ran out of memory. */
  get asking(): readonly AskingMark[] {
    return this.askers;
  }

  /** True if a later recording with a fix replaces a run. */
  isAnswered(run: RunReport): boolean {
    return this.answeredRuns.has(runKey(run));
  }

  /** Marks a run as replaced by a later recording with a fix. */
  answer(run: RunReport, isAnswered: boolean): void {
    if (isAnswered) this.answeredRuns.add(runKey(run));
    else this.answeredRuns.delete(runKey(run));
    this.changedEmitter.fire();
  }

  setResult(result: AnalysisResult | null): void {
    this.raw = result;
    this.index();
    const runs = new Set(result?.report.runs.map(({ id, snapshots }) => `${id} ${snapshots.at(0)?.takenAtUs ?? 0}`));
    const isNew = [...runs].some((id) => !this.runs.has(id));
    this.runs = runs;
    if (isNew) this.runEmitter.fire();
    this.changedEmitter.fire();
  }

  /** Leaks that are not reported from now on. */
  setIgnored(leaks: readonly IgnoredLeak[]): void {
    this.ignoredLeaks = leaks;
    this.index();
    this.changedEmitter.fire();
  }

  setComparison(report: CompareReport | null): void {
    if (report === null && this.compared === null) return;
    if (report === null) this.compared = null;
    else {
      const lines = comparedLines(report);
      this.compared = { report, lines, byFile: byFile(lines.filter(({ mapped }) => mapped)) };
    }
    this.changedEmitter.fire();
  }

  /** Out-of-memory messages of programs that were not recorded. @param source its messages so far are replaced */
  setMessages(source: string, messages: SourceMessages | null): void {
    // Set again, the source is the latest.
    const hadSome = this.messages.delete(source);
    if (messages !== null) this.messages.set(source, messages);
    else if (!hadSome) return;
    for (const oldest of [...this.messages.keys()].slice(0, -MAX_SOURCES)) this.messages.delete(oldest);
    this.index();
    this.changedEmitter.fire();
  }

  /** The source of a message; null if it is no longer there. */
  sourceOf(explanation: OomExplanation): string | null {
    return [...this.messages].find(([, { explanations }]) => explanations.includes(explanation))?.[0] ?? null;
  }

  clearMessages(): void {
    for (const source of [...this.messages.keys()]) this.setMessages(source, null);
  }

  private index(): void {
    const { raw } = this;
    this.latest = raw === null ? null : { ...raw, report: withIgnored(raw.report, this.ignoredLeaks) };
    const report = this.latest?.report ?? null;
    const recorded = report === null ? [] : askingMarks(report).filter(({ mapped }) => mapped);
    this.askers = [...recorded, ...messageMarks(this.messages.values(), recorded)];
    this.allMarks = report === null ? [] : lineMarks(report);
    this.allFindings = report === null ? [] : findingMarks(report, this.allMarks, this.canOpen);
    this.allIgnoredFindings = report === null ? [] : findingMarks(report, lineMarks(report, true), this.canOpen, true);
    this.markIndex = byFile(this.allMarks.filter((mark) => mark.mapped && isInEditor(mark)));
  }

  dispose(): void {
    this.changedEmitter.dispose();
    this.runEmitter.dispose();
  }
}
