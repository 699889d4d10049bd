import * as vscode from 'vscode';
import { dirname } from 'node:path';
import { snapshotGlobs } from '../settings.js';
import { watchFolder } from './chokidarWatcher.js';
import { globMatcher, isSkippedFolder } from './globPattern.js';
import type { SnapshotWatcher, WatchListener } from './snapshotWatcher.js';

/** One watcher per workspace folder, and one per folder of a file that was opened from elsewhere. */
export class SnapshotWatchers {
  private readonly folders = new Map<string, SnapshotWatcher>();
  private readonly single = new Map<string, SnapshotWatcher>();
  private readonly notes = new Set<string>();
  private readonly listener: WatchListener;

  constructor(
    private readonly log: vscode.LogOutputChannel,
    listener: WatchListener,
  ) {
    this.listener = {
      noticed: (path) => {
        listener.noticed(path);
      },
      scanned: () => {
        listener.scanned();
      },
      limited: (message) => {
        if (this.notes.has(message)) return;
        this.notes.add(message);
        this.log.warn(message);
        listener.limited(message);
      },
    };
  }

  /** True while a folder is walked for the first time. */
  get scanning(): boolean {
    return [...this.folders.values()].some(({ scanning }) => scanning);
  }

  get limits(): string[] {
    return [...this.notes];
  }

  /** Begins anew with the present folders and settings; what is known already is merely looked at again. */
  start(): void {
    this.notes.clear();
    for (const watcher of this.folders.values()) void watcher.close();
    this.folders.clear();
    for (const folder of vscode.workspace.workspaceFolders ?? []) {
      if (folder.uri.scheme === 'file') this.folders.set(folder.uri.fsPath, this.watch(folder.uri));
    }
  }

  /** Watches a file that no workspace folder holds. */
  watchFile(path: string): void {
    if (this.single.has(path) || vscode.workspace.getWorkspaceFolder(vscode.Uri.file(path)) !== undefined) return;
    const name = path.slice(dirname(path).length).replace(/^[/\\]/, '');
    const scope = { folder: dirname(path), includes: (below: string) => below === name, skips: () => true };
    this.single.set(path, watchFolder(scope, this.listener, vscode.l10n));
  }

  async close(): Promise<void> {
    await Promise.all([...this.folders.values(), ...this.single.values()].map((watcher) => watcher.close()));
  }

  private watch(folder: vscode.Uri): SnapshotWatcher {
    const { include, exclude } = snapshotGlobs(folder);
    const included = globMatcher(include);
    const excluded = globMatcher(exclude);
    return watchFolder(
      {
        folder: folder.fsPath,
        includes: (below) => included(below) && !excluded(below),
        skips: (below) => isSkippedFolder(below) || excluded(below) || excluded(`${below}/`),
      },
      this.listener,
      vscode.l10n,
    );
  }
}
