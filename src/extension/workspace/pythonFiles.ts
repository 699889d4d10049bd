import * as vscode from 'vscode';
import type { WorkspaceRoot } from '../../core/attribution/paths/pathMapping.js';
import { Listener } from '../disposer.js';
import type { NotebookCells } from '../notebooks/notebookCells.js';
import { isSkippedFolder, SKIPPED_FOLDERS_GLOB } from '../watch/globPattern.js';
import { folderPrefix, reportPath } from './reportPaths.js';

/** Maximum number of files listed; a workspace with more is mapped as far as this goes. */
const MAX_FILES = 50_000;
/** Created and deleted files are gathered for this long, in milliseconds. */
const GATHER_MS = 300;

/** The Python files of the workspace, by the path that reports name them with. Notebook cells that ran are files among them. */
export class PythonFiles extends Listener {
  private readonly uris = new Map<string, vscode.Uri>();
  /** Names by URI, the inverse of `uris`. */
  private readonly names = new Map<string, string>();
  private readonly changedEmitter = new vscode.EventEmitter<void>();
  private readonly writtenEmitter = new vscode.EventEmitter<string>();
  private timer: ReturnType<typeof setTimeout> | undefined;
  private listing: Promise<void> | null = null;

  /** The set of files changed. */
  readonly onDidChange = this.changedEmitter.event;

  /** A listed file was written, by whom ever: its path in reports. */
  readonly onDidWrite = this.writtenEmitter.event;

  constructor(private readonly cells: NotebookCells) {
    super();
    const watcher = vscode.workspace.createFileSystemWatcher('**/*.py');
    this.subscriptions = [
      { dispose: () => clearTimeout(this.timer) },
      this.changedEmitter,
      this.writtenEmitter,
      watcher,
      watcher.onDidChange((uri) => {
        const name = this.nameOf(uri);
        if (name !== null) this.writtenEmitter.fire(name);
      }),
      watcher.onDidCreate((uri) => this.created(uri)),
      watcher.onDidDelete((uri) => this.deleted(uri)),
      vscode.workspace.onDidChangeWorkspaceFolders(() => {
        this.listing = this.list();
        // A search that failed is made again by the next question.
        void this.listing.catch(() => undefined).then(() => this.announce());
      }),
    ];
  }

  /** Paths of all files, listed on first use. */
  async paths(): Promise<string[]> {
    this.listing ??= this.list();
    try {
      await this.listing;
    } catch (error) {
      this.listing = null;
      throw error;
    }
    return [...this.uris.keys(), ...this.cells.listing];
  }

  /** The workspace's folders on disk, by the prefix of their files' paths. */
  roots(): WorkspaceRoot[] {
    const folders = (vscode.workspace.workspaceFolders ?? []).filter(({ uri }) => uri.scheme === 'file');
    return folders.map((folder) => ({ prefix: folderPrefix(folder), folder: folder.uri.fsPath }));
  }

  /** The file behind a path of a report; undefined if the workspace has no such file. */
  uri(path: string): vscode.Uri | undefined {
    return this.uris.get(path) ?? this.cells.uri(path);
  }

  /** The path by which reports name a listed file, null if it is none. */
  nameOf(uri: vscode.Uri): string | null {
    return this.names.get(uri.toString()) ?? this.cells.nameOf(uri);
  }

  /** The path by which reports name a file. */
  path(uri: vscode.Uri): string {
    return this.cells.nameOf(uri) ?? reportPath(uri);
  }

  private async list(): Promise<void> {
    const found = await vscode.workspace.findFiles('**/*.py', SKIPPED_FOLDERS_GLOB, MAX_FILES);
    this.uris.clear();
    this.names.clear();
    for (const uri of found) this.add(uri);
  }

  /** Adds a file. Only the first of two files with one path counts: no mark may appear in a wrong file. */
  private add(uri: vscode.Uri): void {
    const path = this.path(uri);
    if (this.uris.has(path)) return;
    this.uris.set(path, uri);
    this.names.set(uri.toString(), path);
  }

  private created(uri: vscode.Uri): void {
    const folders = this.path(uri).split('/').slice(0, -1);
    if (folders.some(isSkippedFolder)) return;
    this.add(uri);
    this.announce();
  }

  private deleted(uri: vscode.Uri): void {
    const path = this.path(uri);
    if (this.nameOf(uri) === null) return;
    this.uris.delete(path);
    this.names.delete(uri.toString());
    this.announce();
  }

  private announce(): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.changedEmitter.fire(), GATHER_MS);
  }
}
