import * as vscode from 'vscode';
import {
  IGNORE_FILE,
  IgnoreFileError,
  names,
  parseIgnoredLeaks,
  withIgnoredLeak,
  withoutIgnoredLeaks,
  type IgnoredLeak,
} from '../../core/report/ignoredLeaks.js';
import type { LineReport } from '../../core/report/report.js';
import { Listener } from '../disposer.js';
import type { PythonFiles } from '../workspace/pythonFiles.js';

const MAX_BYTES = 4 << 20;

interface FolderFile {
  readonly uri: vscode.Uri;
  /** The prefix of the files of the folder in reports. */
  readonly prefix: string;
  leaks: readonly IgnoredLeak[];
  /** The complaint that the user has seen, until the file makes sense again. */
  complaint: string | null;
}

/** The ignore files of the workspace's folders: read, watched, and written at the user's command. */
export class IgnoreFiles extends Listener {
  private folders: FolderFile[] = [];
  private readonly changedEmitter = new vscode.EventEmitter<void>();

  /** Other leaks are ignored than before. */
  readonly onDidChange = this.changedEmitter.event;

  constructor(private readonly files: PythonFiles) {
    super();
    const watcher = vscode.workspace.createFileSystemWatcher(`**/${IGNORE_FILE}`);
    const changed = (uri: vscode.Uri): void => {
      const folder = this.folders.find((one) => one.uri.toString() === uri.toString());
      if (folder !== undefined) void this.read(folder);
    };
    this.subscriptions = [
      this.changedEmitter,
      watcher,
      watcher.onDidCreate(changed),
      watcher.onDidChange(changed),
      watcher.onDidDelete(changed),
      vscode.workspace.onDidChangeWorkspaceFolders(() => this.open()),
    ];
    this.open();
  }

  /** Ignored leaks, their files named as in reports. */
  get leaks(): IgnoredLeak[] {
    return this.folders.flatMap(({ prefix, leaks }) => leaks.map((leak) => ({ ...leak, file: prefix + leak.file })));
  }

  /** Adds a leak to the ignore file of its folder. @param text of the line, if the report has none @throws Error */
  async add(line: LineReport, text: string): Promise<void> {
    const folder = this.folderOf(line.file);
    const leak: IgnoredLeak = {
      file: line.file.slice(folder.prefix.length),
      function: line.function,
      statement: line.statement?.text ?? text,
      occurrence: line.statement?.occurrence ?? 1,
      line: line.line,
      reason: null,
      inBaseline: false,
    };
    await this.rewrite(folder, (present) => withIgnoredLeak(present, leak));
  }

  /** Removes all entries that name one of these lines. @throws Error with a message for users */
  async remove(lines: readonly LineReport[]): Promise<void> {
    for (const folder of new Set(lines.map(({ file }) => this.folderOf(file)))) {
      const isGone = (leak: IgnoredLeak): boolean =>
        lines.some((line) => names({ ...leak, file: folder.prefix + leak.file }, line));
      await this.rewrite(folder, (present) => (present === null ? null : withoutIgnoredLeaks(present, isGone)));
    }
  }

  private open(): void {
    const prefixes = new Map(this.files.roots().map(({ prefix, folder }) => [folder, prefix]));
    this.folders = (vscode.workspace.workspaceFolders ?? []).flatMap(({ uri }) => {
      const prefix = prefixes.get(uri.fsPath);
      return prefix === undefined
        ? []
        : [{ uri: vscode.Uri.joinPath(uri, IGNORE_FILE), prefix, leaks: [], complaint: null }];
    });
    for (const folder of this.folders) void this.read(folder);
  }

  private async read(folder: FolderFile): Promise<void> {
    const before = JSON.stringify(folder.leaks);
    try {
      const text = await textOf(folder.uri);
      folder.leaks = text === null ? [] : parseIgnoredLeaks(text);
      folder.complaint = null;
    } catch (error) {
      folder.leaks = [];
      this.complain(folder, error);
    }
    if (JSON.stringify(folder.leaks) !== before) this.changedEmitter.fire();
  }

  /** Reports an invalid file once, until it is valid again. */
  private complain(folder: FolderFile, error: unknown): void {
    const wasShown = folder.complaint !== null;
    folder.complaint = sentence(folder.uri, error);
    if (wasShown) return;
    const open = vscode.l10n.t('Open File');
    void vscode.window.showWarningMessage(folder.complaint, open).then((choice) => {
      if (choice === open) void vscode.window.showTextDocument(folder.uri);
    });
  }

  private async rewrite(folder: FolderFile, change: (present: string | null) => string | null): Promise<void> {
    const { uri } = folder;
    const isDirty = vscode.workspace.textDocuments.some(
      (document) => document.isDirty && document.uri.toString() === uri.toString(),
    );
    if (isDirty) throw new Error(vscode.l10n.t('Save {0} first.', IGNORE_FILE));
    let text: string | null;
    try {
      text = change(await textOf(uri));
    } catch (error) {
      throw error instanceof IgnoreFileError ? new Error(sentence(uri, error), { cause: error }) : error;
    }
    if (text === null) return;
    const facts = await vscode.workspace.fs.stat(uri).then(undefined, () => null);
    // A repository could lead it to any file of the user.
    if (facts !== null && (facts.type & vscode.FileType.SymbolicLink) !== 0)
      throw new Error(vscode.l10n.t('{0} is a link, and is not written. Replace it by a file.', IGNORE_FILE));
    await vscode.workspace.fs.writeFile(uri, new TextEncoder().encode(text));
    await this.read(folder);
  }

  /** @throws Error if the workspace has no folder for it */
  private folderOf(file: string): FolderFile {
    const folder = this.folders.find(({ prefix }) => file.startsWith(prefix));
    if (folder === undefined)
      throw new Error(vscode.l10n.t('{0} is not a file of this workspace; map its folder.', file));
    return folder;
  }
}

/** Null without a file. */
async function textOf(uri: vscode.Uri): Promise<string | null> {
  let stat: vscode.FileStat;
  try {
    stat = await vscode.workspace.fs.stat(uri);
  } catch {
    return null;
  }
  if (stat.size > MAX_BYTES) throw new IgnoreFileError(vscode.l10n.t('it is too large'));
  return new TextDecoder().decode(await vscode.workspace.fs.readFile(uri));
}

function sentence(uri: vscode.Uri, error: unknown): string {
  const reason = error instanceof Error ? error.message : String(error);
  return vscode.l10n.t('{0} cannot be read, so no leak is ignored: {1}.', vscode.workspace.asRelativePath(uri), reason);
}
