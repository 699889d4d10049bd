/** Tools of language models. They only read: nothing is run, written or sent. */
import { existsSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import * as vscode from 'vscode';
import { explanationLines, failuresIn } from '../../core/oom/explanation.js';
import { bounded, compareAnswer, findingAnswer, leaksAnswer, whatIfAnswer } from '../../core/render/toolAnswers.js';
import { parseBytes } from '../../core/text/numberText.js';
import { visibleText } from '../../core/text/plainText.js';
import { logFailures } from '../../node/logFailures.js';
import { LanguageModelTool, type LanguageModelToolName } from '../contributions.js';
import type { OutOfMemoryMessages } from '../oom/outOfMemoryMessages.js';
import type { ResultsStore } from '../results/resultsStore.js';
import type { SnapshotSession } from '../session.js';
import { sentenceOf } from '../text/fileSentence.js';
import { disposeAll } from '../disposer.js';

/** The answer without results: the next action for the user. */
const NO_SNAPSHOTS =
  'No GPU memory snapshot is read. Snapshots are files that torch.cuda.memory._dump_snapshot wrote into the workspace; ' +
  'the command "Leakline: Run Python File with Recording" makes them.';

type Input = Readonly<Record<string, unknown>>;

export type LanguageModelTools = Readonly<Record<LanguageModelToolName, vscode.LanguageModelTool<Input>>>;

/** The tools by their names. */
export function languageModelTools(
  session: SnapshotSession,
  store: ResultsStore,
  messages: OutOfMemoryMessages,
): LanguageModelTools {
  const tool = (
    messageFor: (input: Input) => string,
    answer: (input: Input, token: vscode.CancellationToken) => string | Promise<string>,
  ): vscode.LanguageModelTool<Input> => ({
    prepareInvocation: ({ input }) => ({ invocationMessage: visibleText(messageFor(input)) }),
    invoke: async ({ input }, token) => {
      await untilRead(session, store, token);
      try {
        const text = bounded(await answer(input, token));
        return new vscode.LanguageModelToolResult([new vscode.LanguageModelTextPart(text)]);
      } catch (error) {
        throw new Error(bounded(sentenceOf(error)), { cause: error });
      }
    },
  });

  return {
    [LanguageModelTool.listLeaks]: tool(
      () => vscode.l10n.t('Listing GPU memory leaks'),
      () => (store.result === null ? NO_SNAPSHOTS : leaksAnswer(store.result.report)),
    ),
    [LanguageModelTool.explainLeak]: tool(
      (input) => vscode.l10n.t('Explaining line {0} of {1}', String(input['line']), String(input['file'])),
      (input) => {
        const { file, line } = placeOf(input);
        if (store.result === null) return NO_SNAPSHOTS;
        return findingAnswer(file, line, store.result.report);
      },
    ),
    [LanguageModelTool.compareSnapshots]: tool(
      () => vscode.l10n.t('Comparing two GPU memory snapshots'),
      async (input) => compareAnswer(await session.comparison(fileOf(input, 'before'), fileOf(input, 'after'))),
    ),
    [LanguageModelTool.whatIf]: tool(
      () => vscode.l10n.t('Replaying the allocations of a GPU memory snapshot'),
      async (input, token) => {
        const abort = new AbortController();
        const listening = token.onCancellationRequested(() => abort.abort());
        try {
          const question = { capacity: capacityOf(input), settings: settingsOf(input) };
          return whatIfAnswer(await session.whatIf(fileOf(input, 'path'), question, abort.signal));
        } finally {
          listening.dispose();
        }
      },
    ),
    [LanguageModelTool.explainOom]: tool(
      () => vscode.l10n.t('Explaining an out-of-memory message'),
      async (input) => {
        const { text } = input;
        const failures = typeof text === 'string' ? failuresIn(text) : await logFailures(fileOf(input, 'path'));
        if (failures.size === 0) throw new Error('There is no out-of-memory message of PyTorch in it.');
        return explanationLines(await messages.explanations(failures)).join('\n');
      },
    ),
  };
}

function capacityOf({ capacity }: Input): number | null {
  if (capacity === undefined) return null;
  const bytes = typeof capacity === 'string' ? parseBytes(capacity) : null;
  if (bytes === null || bytes === 0) throw new Error('Give `capacity`, the memory of a device, such as 24GiB.');
  return bytes;
}

/** Settings in the syntax of PYTORCH_CUDA_ALLOC_CONF; null for the usual ones. */
function settingsOf({ settings = [] }: Input): string[] | null {
  if (!Array.isArray(settings) || !settings.every((one) => typeof one === 'string'))
    throw new Error('Give `settings`, an array of settings such as "expandable_segments:True".');
  return settings.length === 0 ? null : settings;
}

/** @throws Error with a sentence that a language model can act on */
function placeOf({ file, line }: Input): { file: string; line: number } {
  if (typeof file !== 'string' || typeof line !== 'number') {
    throw new Error('Give `file`, a path relative to the workspace folder, and `line`, a 1-based number.');
  }
  return { file: file.replaceAll('\\', '/').replace(/^\.\//, ''), line };
}

/** A snapshot's absolute path; only files of the workspace's folders are opened for a model. */
function fileOf(input: Input, name: string): string {
  const path = input[name];
  if (typeof path !== 'string') throw new Error(`Give \`${name}\`, the path of a file in the workspace.`);
  const folders = vscode.workspace.workspaceFolders ?? [];
  const candidates = isAbsolute(path)
    ? [vscode.Uri.file(path)]
    : folders.map(({ uri }) => vscode.Uri.joinPath(uri, path));
  const inside = candidates.filter((uri) => vscode.workspace.getWorkspaceFolder(uri) !== undefined);
  const found = inside.find(({ fsPath }) => existsSync(fsPath));
  if (found !== undefined) return found.fsPath;
  throw new Error(`\`${path}\` is not a file of the workspace.`);
}

/** Resolves when everything that was found is read and judged, when that cannot be, or when the caller cancels. */
async function untilRead(
  session: SnapshotSession,
  store: ResultsStore,
  token: vscode.CancellationToken,
): Promise<void> {
  const mustWait = (): boolean => session.reading && session.problem === null && !token.isCancellationRequested;
  if (!mustWait()) return;
  await new Promise<void>((resolve) => {
    const look = (): void => {
      if (mustWait()) return;
      disposeAll(listening);
      resolve();
    };
    const listening = [session.onDidChange(look), store.onDidChange(look), token.onCancellationRequested(look)];
  });
}
