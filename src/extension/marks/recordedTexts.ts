import * as vscode from 'vscode';
import type { DifferentVersion, RunReport } from '../../core/report/report.js';
import { Listener } from '../disposer.js';
import type { ResultsStore } from '../results/resultsStore.js';
import type { PythonFiles } from '../workspace/pythonFiles.js';
import { hasHash, textLines } from './textHash.js';

/** Maximum number of commits to search for the one before a snapshot. */
const MAX_COMMITS = 100;

/** Edits are gathered for this long before a text is hashed, in milliseconds. */
const GATHER_MS = 300;

/** Knowledge of the text that ran. */
type RecordedText =
  /** No evidence of a different text. */
  | { readonly kind: 'unknown' }
  /** The document's text ran. */
  | { readonly kind: 'known'; readonly lines: readonly string[] }
  /** A different, unavailable version ran. Only the function of a line may be found, by its first line. */
  | { readonly kind: 'other'; readonly anchors: ReadonlyMap<number, number> };

const UNKNOWN: RecordedText = { kind: 'unknown' };

interface Entry {
  /** Identifies text and run. */
  readonly key: string;
  text: RecordedText;
}

/** Finds the text that ran: by the recorder's hash, else from git at the time of the snapshot if the file is newer. */
export class RecordedTexts extends Listener {
  private readonly entries = new Map<string, Entry>();
  private readonly learnedEmitter = new vscode.EventEmitter<vscode.Uri>();
  private timer: ReturnType<typeof setTimeout> | undefined;

  /** The knowledge of a document's text changed. */
  readonly onDidLearn = this.learnedEmitter.event;

  constructor(
    private readonly store: ResultsStore,
    private readonly files: PythonFiles,
  ) {
    super();
    const later = (): void => {
      clearTimeout(this.timer);
      this.timer = setTimeout(() => this.lookAtAll(), GATHER_MS);
    };
    this.subscriptions = [
      { dispose: () => clearTimeout(this.timer) },
      this.learnedEmitter,
      store.onDidChange(() => this.lookAtAll()),
      vscode.workspace.onDidOpenTextDocument((document) => {
        if (document.languageId === 'python') void this.lookAt(document);
      }),
      vscode.workspace.onDidCloseTextDocument((document) => this.entries.delete(document.uri.toString())),
      vscode.workspace.onDidChangeTextDocument(({ document }) => {
        if (this.entries.get(document.uri.toString())?.text.kind === 'other') later();
      }),
    ];
  }

  of(document: vscode.TextDocument): RecordedText {
    return this.entries.get(document.uri.toString())?.text ?? UNKNOWN;
  }

  private lookAtAll(): void {
    for (const document of vscode.workspace.textDocuments) {
      if (document.languageId === 'python') void this.lookAt(document);
    }
  }

  private async lookAt(document: vscode.TextDocument): Promise<void> {
    const path = this.files.path(document.uri);
    const run = this.runOf(path);
    if (run === null) return;
    const sha256 = run.sources?.files.find(({ file }) => file === path)?.sha256 ?? null;
    const takenAtUs = run.snapshots.at(-1)?.takenAtUs ?? null;
    const key = sha256 ?? `${run.id} ${takenAtUs ?? ''}`;
    const id = document.uri.toString();
    const known = this.entries.get(id);
    if (known?.key === key && known.text.kind === 'known') return;
    const entry: Entry = known?.key === key ? known : { key, text: UNKNOWN };
    this.entries.set(id, entry);
    const found =
      sha256 !== null
        ? await this.textOfHash(document, sha256, run.sources?.commit ?? null)
        : takenAtUs !== null
          ? await this.textOfTime(document, takenAtUs / 1000)
          : UNKNOWN;
    const differing = this.differing(path);
    const text: RecordedText =
      found === null || (found.kind === 'unknown' && differing.size > 0)
        ? { kind: 'other', anchors: anchorsOf(differing) }
        : found;
    if (this.entries.get(id) !== entry || (text.kind !== 'known' && text.kind === entry.text.kind)) return;
    entry.text = text;
    this.learnedEmitter.fire(document.uri);
  }

  /** Lines of a file that its functions no longer enclose. */
  private differing(path: string): Map<number, DifferentVersion> {
    const marks = this.store.marksOf(path).flatMap(({ parts }) => parts.map(({ line }) => line));
    return new Map(marks.flatMap(({ line, differs }) => (differs === null ? [] : [[line, differs]])));
  }

  /** The newest run that marks a file. */
  private runOf(path: string): RunReport | null {
    const runs = this.store.marksOf(path).flatMap(({ parts }) => parts.map(({ run }) => run));
    const age = (run: RunReport): number => run.snapshots.at(-1)?.takenAtUs ?? 0;
    return runs.reduce<RunReport | null>((a, b) => (a === null || age(b) > age(a) ? b : a), null);
  }

  private async textOfHash(
    document: vscode.TextDocument,
    sha256: string,
    commit: string | null,
  ): Promise<RecordedText | null> {
    const candidates = [
      () => Promise.resolve(document.getText()),
      () => (document.isDirty ? savedText(document.uri) : Promise.resolve(null)),
      () => (commit === null ? Promise.resolve(null) : textAt(document.uri, () => Promise.resolve(commit))),
    ];
    for (const candidate of candidates) {
      const text = await candidate();
      if (text !== null && hasHash(text, sha256)) return { kind: 'known', lines: textLines(text) };
    }
    return null;
  }

  /** A file that was last written before the snapshot is assumed to be the one that ran. */
  private async textOfTime(document: vscode.TextDocument, takenAt: number): Promise<RecordedText> {
    const saved = await orNull(async () => (await vscode.workspace.fs.stat(document.uri)).mtime);
    if (saved === null || saved <= takenAt) return UNKNOWN;
    const text = await textBefore(document.uri, takenAt);
    return text === null ? UNKNOWN : { kind: 'known', lines: textLines(text) };
  }
}

function anchorsOf(differing: ReadonlyMap<number, DifferentVersion>): Map<number, number> {
  return new Map([...differing].flatMap(([line, { line: now }]) => (now === null ? [] : [[line, now]])));
}

/** Null where it fails: a file is gone, git is switched off, or a revision is not here. */
async function orNull<T>(of: () => Promise<T>): Promise<T | null> {
  try {
    return await of();
  } catch {
    return null;
  }
}

function savedText(uri: vscode.Uri): Promise<string | null> {
  return orNull(async () => new TextDecoder().decode(await vscode.workspace.fs.readFile(uri)));
}

/** The used part of the built-in git extension's API (version 1). */
interface GitRepository {
  show(ref: string, path: string): Promise<string>;
  log(options: { maxEntries: number; path: string }): Promise<{ hash: string; commitDate?: Date }[]>;
}
interface GitExtension {
  getAPI(version: 1): { getRepository(uri: vscode.Uri): GitRepository | null };
}

/** A file as its git repository has it at a revision; null if git does not have it. */
async function textAt(file: vscode.Uri, revision: (repository: GitRepository) => Promise<string | undefined>) {
  return orNull(async () => {
    const git = vscode.extensions.getExtension<GitExtension>('vscode.git');
    const repository = (await git?.activate())?.getAPI(1).getRepository(file) ?? null;
    const commit = repository === null ? undefined : await revision(repository);
    return repository === null || commit === undefined ? null : repository.show(commit, file.fsPath);
  });
}

/** A file as it was last committed before a time in milliseconds since the epoch. */
function textBefore(file: vscode.Uri, time: number): Promise<string | null> {
  return textAt(file, async (repository) => {
    const commits = await repository.log({ maxEntries: MAX_COMMITS, path: file.fsPath });
    return commits.find(({ commitDate }) => commitDate !== undefined && commitDate.getTime() <= time)?.hash;
  });
}
