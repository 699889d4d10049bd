import * as vscode from 'vscode';
import { failuresIn, type FailureList, type OomExplanation } from '../../core/oom/explanation.js';
import type { OomFailure } from '../../core/oom/failureReader.js';
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

/** The source of messages that the user passes. */
const PASSED = 'command';
const NO_CELLS: ReadonlyMap<number, string> = new Map();
/** A code cell, as tracebacks number it. */
const CELL = /^<ipython-input-(\d+)>$/;

/** Explains out-of-memory messages, and marks the lines that requested memory. Nothing of them is stored. */
export class OutOfMemoryMessages {
  /** By source: a later text may arrive while an earlier one is explained. */
  private readonly latest = new Map<string, FailedOutput>();

  constructor(
    private readonly store: ResultsStore,
    private readonly files: PythonFiles,
    private readonly cells: NotebookCells,
    private readonly recordings: RecordingTasks,
  ) {}

  /** Replaces the messages of the same source. */
  async explain(output: FailedOutput): Promise<readonly OomExplanation[]> {
    this.latest.set(output.source, output);
    const names = new Set<string>();
    const failures = failuresIn(output.text, (failure) => withCells(failure, output.cells, names));
    if (failures.size === 0) return [];
    if (names.size > 0) await this.cells.know([...names]);
    const explanations = await this.explanations(failures);
    if (this.latest.get(output.source) === output) this.store.setMessages(output.source, explanations);
    return explanations;
  }

  /** Explains failures without a mark. */
  async explanations(failures: FailureList): Promise<readonly OomExplanation[]> {
    const files = await this.files.paths();
    return failures.explain({ files, rules: [...pathRules(), ...this.cells.rules] });
  }

  clear(source: string): void {
    this.latest.delete(source);
    this.store.setMessages(source, []);
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
      const explanations = await this.explain({ source: PASSED, text: text ?? '', command: null, cells: NO_CELLS });
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
    const { sentences, asked, program } = explanation;
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
    const command = source === null ? null : (this.latest.get(source)?.command ?? null);
    return command === null || program === null ? [] : (argumentsOf(command, program) ?? []);
  }
}

/** The failure with the addresses of its cells. @param names gets them */
function withCells(failure: OomFailure, cells: ReadonlyMap<number, string>, names: Set<string>): OomFailure {
  const frames = failure.frames.map((frame) => {
    const uri = cells.get(Number(CELL.exec(frame.file)?.[1]));
    if (uri === undefined) return frame;
    names.add(uri);
    return { ...frame, file: uri };
  });
  return { ...failure, frames };
}
