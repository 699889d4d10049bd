import * as vscode from 'vscode';
import { readFileSync } from 'node:fs';
import { dirname, relative, sep } from 'node:path';
import { recordedBeside } from '../../node/recordingPath.js';
import { pollingMode, snapshotGlobs } from '../settings.js';
import { useTranslations } from '../../core/text/translate.js';
import { watchFolder, type SnapshotWatcher, type WatchListener } from './chokidarWatcher.js';
import { globMatcher, isSkippedFolder } from './globPattern.js';
import { MissedChanges } from './missedChanges.js';
import { silentFileSystem } from './networkMounts.js';

/** Interval between checks for missing events, in milliseconds. */
const LOOK_MS = 20_000;

/** One watcher per workspace folder, and one per folder of a file that was opened from elsewhere. */
export class SnapshotWatchers {
  private readonly folders = new Map<string, SnapshotWatcher>();
  private readonly single = new Map<string, SnapshotWatcher>();
  private readonly notes = new Set<string>();
  /** Folders with missing events. */
  private readonly silent = new Set<string>();
  private readonly looks = new Map<string, ReturnType<typeof setInterval>>();
  private readonly listener: WatchListener;

  constructor(
    private readonly log: vscode.LogOutputChannel,
    listener: WatchListener,
  ) {
    // The watchers are in a bundle of their own.
    useTranslations(vscode.l10n.bundle ?? {});
    this.listener = {
      noticed: (path) => listener.noticed(path),
      scanned: () => listener.scanned(),
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

  /** Starts again with the current folders and settings; known files are only checked again. */
  start(): void {
    this.notes.clear();
    this.stopLooking();
    for (const watcher of this.folders.values()) void watcher.close();
    this.folders.clear();
    for (const folder of vscode.workspace.workspaceFolders ?? []) {
      if (folder.uri.scheme === 'file') this.folders.set(folder.uri.fsPath, this.watch(folder.uri));
    }
    if (this.folders.size === 0) this.listener.scanned();
  }

  /** Watches a file that no workspace folder holds. */
  watchFile(path: string): void {
    if (this.single.has(path) || vscode.workspace.getWorkspaceFolder(vscode.Uri.file(path)) !== undefined) return;
    const name = path.slice(dirname(path).length).replace(/^[/\\]/, '');
    const scope = {
      folder: dirname(path),
      polls: this.polls(vscode.Uri.file(dirname(path))),
      snapshotOf: (below: string) => (below === name || recordedBeside(below).includes(name) ? name : null),
      skips: () => true,
    };
    const listener = {
      ...this.listener,
      noticed: () => this.listener.noticed(path),
    };
    this.single.set(path, watchFolder(scope, listener));
  }

  async close(): Promise<void> {
    this.stopLooking();
    await Promise.all([...this.folders.values(), ...this.single.values()].map((watcher) => watcher.close()));
  }

  private watch(folder: vscode.Uri): SnapshotWatcher {
    const { include, exclude } = snapshotGlobs(folder);
    const included = globMatcher(include);
    const excluded = globMatcher(exclude);
    const includes = (below: string): boolean => included(below) && !excluded(below);
    const polls = this.polls(folder);
    const scope = {
      folder: folder.fsPath,
      polls,
      snapshotOf: (below: string) => [below, ...recordedBeside(below)].find(includes) ?? null,
      skips: (below: string) => isSkippedFolder(below) || excluded(below) || excluded(`${below}/`),
    };
    const isSnapshot = (path: string): boolean => includes(relative(folder.fsPath, path).split(sep).join('/'));
    const missed = polls || pollingMode(folder) === 'off' ? null : new MissedChanges(isSnapshot);
    if (missed !== null) this.lookFor(missed, folder);
    const listener = {
      ...this.listener,
      noticed: (path: string): void => {
        if (isSnapshot(path)) {
          missed?.noticed(path);
          this.listener.noticed(path);
        } else for (const snapshot of recordedBeside(path).filter(isSnapshot)) this.listener.noticed(snapshot);
      },
    };
    return watchFolder(scope, listener);
  }

  /** True if a folder is polled: by the setting, else on file systems with missing events. */
  private polls(folder: vscode.Uri): boolean {
    const mode = pollingMode(folder);
    if (mode === 'on' || mode === 'off') return mode === 'on';
    const kind = silentFileSystem(folder.fsPath, mounts());
    if (kind !== null) this.log.info(`${folder.fsPath} is on ${kind}: it is polled`);
    return kind !== null || this.silent.has(folder.fsPath);
  }

  /** Polls a folder after the first missing event. */
  private lookFor(missed: MissedChanges, folder: vscode.Uri): void {
    const timer = setInterval(() => {
      void missed.look().then((found) => {
        if (!found || this.looks.get(folder.fsPath) !== timer) return;
        this.log.info(`${folder.fsPath} changed and no event told of it: it is polled from now on`);
        this.silent.add(folder.fsPath);
        clearInterval(timer);
        void this.folders.get(folder.fsPath)?.close();
        this.folders.set(folder.fsPath, this.watch(folder));
      });
    }, LOOK_MS);
    timer.unref();
    this.looks.set(folder.fsPath, timer);
  }

  private stopLooking(): void {
    for (const timer of this.looks.values()) clearInterval(timer);
    this.looks.clear();
  }
}

/** The table of mounts, empty on systems that have none. */
function mounts(): string {
  try {
    return readFileSync('/proc/mounts', 'utf8');
  } catch {
    return '';
  }
}
