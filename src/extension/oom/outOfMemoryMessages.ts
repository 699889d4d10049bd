import { dirname } from 'node:path';
import * as vscode from 'vscode';
import { visibleText } from '../../core/text/plainText.js';
import {
  explainFailures,
  failuresIn,
  withCandidates,
  type ExplainedFailure,
  type FailureList,
  type FindCandidates,
  type LogOfRank,
  type OomExplanation,
} from '../../core/oom/explanation.js';
import type { OomFailure } from '../../core/oom/failureReader.js';
import type { Microseconds } from '../../core/model/units.js';
import { jobOfLog } from '../../node/logFailures.js';
import { Command, InternalCommand } from '../contributions.js';
import type { NotebookCells } from '../notebooks/notebookCells.js';
import type { ResultsStore } from '../results/resultsStore.js';
import { pathRules } from '../settings.js';
import type { PythonFiles } from '../workspace/pythonFiles.js';
import { isSourcePlace } from '../workspace/openSource.js';
import type { RecordingTasks } from '../recording/recordingTask.js';
import { runRecording } from '../recording/runRecording.js';
import type { FailedOutput } from './outputWatch.js';
import { argumentsOf } from './programOutput.js';

/** A code cell, as tracebacks number it. */
const CELL = /^<ipython-input-(\d+)>$/;

/** What is known of an output, without its text. */
type Failed = Omit<FailedOutput, 'text' | 'cells'> & { readonly failures: FailureList };

/** Explains out-of-memory messages, and marks the lines that requested memory. Nothing of them is stored. */
export class OutOfMemoryMessages {
  /** The latest failure by source: it may arrive while an earlier one is explained. */
  private readonly latest = new Map<string, Failed>();

  /** The latest question by job; only its answer counts. */
  private readonly asked = new Map<string, object>();

  /** @param findCandidates in the source, in another thread */
  constructor(
    private readonly store: ResultsStore,
    private readonly files: PythonFiles,
    private readonly cells: NotebookCells,
    private readonly recordings: RecordingTasks,
    private readonly findCandidates: FindCandidates,
    private readonly report: (error: unknown) => void,
  ) {}

  /** Replaces the messages of the same source. Those of a job's ranks are explained together. */
  async explain(output: FailedOutput): Promise<readonly OomExplanation[]> {
    const names = new Set<string>();
    const failures = failuresIn(output.text, (failure) => withCells(failure, output.cells, names));
    if (failures.size === 0) return [];
    const { text: _text, cells: _cells, ...known } = output;
    this.latest.set(output.source, { ...known, failures });
    if (names.size > 0) await this.cells.know([...names]);
    return this.explainJob(jobOf(output));
  }

  /** Explains failures without a mark. */
  async explanations(failures: FailureList): Promise<readonly OomExplanation[]> {
    return this.withCandidates(await this.explained([{ failures, rank: null }]));
  }

  clear(source: string): void {
    const output = this.latest.get(source);
    if (output === undefined) return;
    this.latest.delete(source);
    this.explainJob(jobOf(output)).catch(this.report);
  }

  clearAll(): void {
    this.latest.clear();
    this.store.clearMessages();
  }

  /** Marks what is known at once, and the candidates when the source was searched. */
  private async explainJob(job: string): Promise<readonly OomExplanation[]> {
    const asked = {};
    this.asked.set(job, asked);
    const outputs = [...this.latest.values()].filter((output) => jobOf(output) === job);
    const logs = outputs.map(({ failures, log }) => ({
      failures,
      rank: log === undefined ? null : jobOfLog(log).rank,
    }));
    const newest = outputs.toSorted((a, b) => (a.writtenAtUs ?? 0) - (b.writtenAtUs ?? 0)).at(-1);
    const origin = {
      writtenAtUs: newest?.writtenAtUs ?? null,
      folder: newest?.log === undefined ? null : dirname(newest.log),
    };
    const show = (explanations: readonly OomExplanation[]): void => {
      if (this.asked.get(job) !== asked) return;
      this.store.setMessages(job, explanations.length === 0 ? null : { explanations, origin });
    };
    const all = logs.length === 0 ? [] : await this.explained(logs);
    const explained = newest?.isEarlier === true ? await this.unchanged(all, newest.writtenAtUs ?? 0) : all;
    show(explained.map(({ explanation }) => explanation));
    const explanations = await this.withCandidates(explained);
    show(explanations);
    return explanations;
  }

  /** The failures at lines of files that have not been written since. @param atUs when the log was written */
  private async unchanged(failures: readonly ExplainedFailure[], atUs: Microseconds): Promise<ExplainedFailure[]> {
    const kept: ExplainedFailure[] = [];
    for (const failure of failures) {
      const uri = this.files.uri(failure.explanation.asked?.file ?? '');
      if (uri === undefined) continue;
      const savedAtMs = await vscode.workspace.fs.stat(uri).then(
        ({ mtime }) => mtime,
        () => Infinity,
      );
      // VS Code rounds the time to milliseconds.
      if (savedAtMs <= Math.ceil(atUs / 1000)) kept.push(failure);
    }
    return kept;
  }

  private async explained(logs: readonly LogOfRank[]): Promise<ExplainedFailure[]> {
    const files = await this.files.paths();
    return explainFailures(logs, { files, rules: [...pathRules(), ...this.cells.rules] });
  }

  /** A message is explained without its candidates if the worker has no time for them. */
  private async withCandidates(explained: readonly ExplainedFailure[]): Promise<readonly OomExplanation[]> {
    try {
      return await withCandidates(explained, (stacks) => this.findCandidates(stacks));
    } catch (error) {
      this.report(error);
      return explained.map(({ explanation }) => explanation);
    }
  }

  /** Explains the selection, else the clipboard, else what the user types. @throws Error without a message */
  async explainPassed(): Promise<void> {
    const editor = vscode.window.activeTextEditor;
    const texts: readonly (() => Thenable<string | undefined>)[] = [
      () => Promise.resolve(editor?.document.getText(editor.selection)),
      () => vscode.env.clipboard.readText(),
      () =>
        vscode.window.showInputBox({
          title: vscode.l10n.t('Explain Out-of-Memory Message'),
          prompt: vscode.l10n.t('Paste the message, with its traceback if there is one.'),
          ignoreFocusOut: true,
        }),
    ];
    let text: string | undefined;
    for (const next of texts) {
      text = await next();
      const explanations = await this.explain({ source: 'command', text: text ?? '', writtenAtUs: null });
      const last = explanations.at(-1);
      if (last === undefined) continue;
      await this.tell(last);
      return;
    }
    // The user closed the prompt.
    if (text === undefined) return;
    throw new Error(vscode.l10n.t('The text holds no out-of-memory message of PyTorch. Copy it with all its numbers.'));
  }

  /** Shows the message whose mark is on a line. */
  async show(place: unknown): Promise<void> {
    const mark = this.store.asking.find(
      (one) => isSourcePlace(place) && one.file === place.file && one.line === place.line,
    );
    if (mark === undefined) throw new Error(vscode.l10n.t('Run this command on a marked line.'));
    if ('explanation' in mark) await this.tell(mark.explanation);
    else await vscode.commands.executeCommand(Command.openTimeline);
  }

  private async tell(explanation: OomExplanation): Promise<void> {
    const { asked, program } = explanation;
    const sentences = explanation.sentences.map(visibleText);
    const [headline, ...evidence] = sentences;
    const uri = program === null ? undefined : this.files.uri(program);
    const goTo = vscode.l10n.t('Go to Line');
    const record = vscode.l10n.t('Record Until It Happens Again');
    const copy = vscode.l10n.t('Copy');
    const buttons = [
      ...(asked?.mapped === true ? [goTo] : []),
      ...(uri?.scheme === 'file' && vscode.workspace.isTrusted ? [record] : []),
      copy,
    ];
    const options = { modal: true, detail: evidence.join('\n\n') };
    const choice = await vscode.window.showInformationMessage(headline, options, ...buttons);
    if (choice === copy) await vscode.env.clipboard.writeText(sentences.join('\n'));
    if (choice === goTo && asked !== null)
      await vscode.commands.executeCommand(InternalCommand.openSource, { file: asked.file, line: asked.line });
    if (choice === record && uri !== undefined) await runRecording(this.recordings, uri, this.argumentsOf(explanation));
  }

  /** The arguments with which the program ran out of memory, where a terminal knows them. */
  private argumentsOf(explanation: OomExplanation): readonly string[] {
    const { program } = explanation;
    const source = this.store.sourceOf(explanation);
    const command = source === null ? undefined : this.latest.get(source)?.command;
    return command === undefined || program === null ? [] : (argumentsOf(command, program) ?? []);
  }
}

/** Names the output, or the job whose ranks write logs into one folder. */
function jobOf({ source, log }: Pick<FailedOutput, 'source' | 'log'>): string {
  return log === undefined ? source : `log ${jobOfLog(log).job}`;
}

/** The failure with the addresses of its cells. @param names gets them */
function withCells(failure: OomFailure, cells: FailedOutput['cells'], names: Set<string>): OomFailure {
  const frames = failure.frames.map((frame) => {
    const uri = cells?.get(Number(CELL.exec(frame.file)?.[1]));
    if (uri === undefined) return frame;
    names.add(uri);
    return { ...frame, file: uri };
  });
  return { ...failure, frames };
}
