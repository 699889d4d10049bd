/** Logs that the settings name: what programs append is searched for out-of-memory messages. Loaded with the window. */
import { open, stat } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import * as vscode from 'vscode';
import type { Microseconds } from '../../core/model/units.js';
import { Setting } from '../contributions.js';
import { disposeAll, Listener, type Disposer } from '../disposer.js';
import { affects, explainsOutput, logGlobs } from '../settings.js';
import type { OutputListener } from './outputWatch.js';
import { RecentText } from './programOutput.js';

/** How long to wait for the end of a message, in milliseconds. */
const GATHER_MS = 300;
/** The end of a log that is read when it is first seen to change. */
const MAX_END_BYTES = 256 << 10;
const CHUNK_BYTES = 1 << 20;
/** Maximum number of logs that are followed; a glob may match more. */
const MAX_LOGS = 256;
/** Maximum number of logs that are searched when they are first named: the newest. */
const MAX_SEARCHED = 8;
/** How long that search waits, so that a window starts first, in milliseconds. */
const SEARCH_AFTER_MS = 2_000;

interface Log {
  /** Bytes that were read. */
  end: number;
  /** When it was written, as of the last reading. */
  writtenAtUs: Microseconds;
  recent: RecentText;
  decoder: TextDecoder;
  /** `isChanged` is set while the log is read, too: it is then read again. */
  isBusy: boolean;
  isChanged: boolean;
}

export class LogWatch extends Listener {
  private readonly logs = new Map<string, Log>();
  private watchers: readonly Disposer[] = [];
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly listener: OutputListener,
    private readonly report: (error: unknown) => void,
  ) {
    super();
    this.subscriptions = [
      { dispose: () => this.stop() },
      vscode.workspace.onDidChangeWorkspaceFolders(() => this.start()),
      vscode.workspace.onDidGrantWorkspaceTrust(() => this.start()),
      vscode.workspace.onDidChangeConfiguration((event) => {
        if (affects(event, Setting.outOfMemoryLogs)) this.start();
      }),
    ];
    this.start();
  }

  private start(): void {
    this.stop();
    const folders = (vscode.workspace.workspaceFolders ?? []).filter(({ uri }) => uri.scheme === 'file');
    this.watchers = folders.flatMap((folder) =>
      logGlobs(folder.uri).flatMap((glob) => {
        const watcher = vscode.workspace.createFileSystemWatcher(new vscode.RelativePattern(folder, glob));
        const changed = ({ fsPath }: vscode.Uri): void => this.changed(fsPath);
        return [watcher, watcher.onDidCreate(changed), watcher.onDidChange(changed)];
      }),
    );
    const { watchers } = this;
    if (watchers.length === 0) return;
    this.timer = setTimeout(() => {
      this.search(folders, () => this.watchers === watchers).catch(this.report);
    }, SEARCH_AFTER_MS);
  }

  /** Searches the newest logs, which may have failed before the window opened. @param isCurrent false after a change */
  private async search(folders: readonly vscode.WorkspaceFolder[], isCurrent: () => boolean): Promise<void> {
    if (!explainsOutput()) return;
    const globs = folders.flatMap((folder) =>
      logGlobs(folder.uri).map((glob) => new vscode.RelativePattern(folder, glob)),
    );
    const uris = (await Promise.all(globs.map((glob) => vscode.workspace.findFiles(glob, undefined, MAX_LOGS)))).flat();
    const timed = await Promise.all(
      uris.map(async ({ fsPath }) => ({ path: fsPath, timeMs: await savedAtMs(fsPath) })),
    );
    const newest = timed.sort((a, b) => b.timeMs - a.timeMs).slice(0, MAX_SEARCHED);
    for (const { path } of newest) {
      if (!isCurrent()) return;
      // A log that has changed since is followed already.
      if (this.logs.has(path)) continue;
      const log = newLog();
      this.logs.set(path, log);
      await this.follow(path, log, true);
    }
  }

  private tell(path: string, { recent, writtenAtUs }: Log, isEarlier: boolean): void {
    this.listener.failed({ source: sourceOf(path), text: recent.text, writtenAtUs, log: path, isEarlier });
  }

  private stop(): void {
    clearTimeout(this.timer);
    disposeAll(this.watchers);
    this.watchers = [];
    this.logs.clear();
  }

  private changed(path: string): void {
    if (!explainsOutput()) return;
    const log = this.logs.get(path) ?? newLog();
    if (!this.logs.has(path) && this.logs.size >= MAX_LOGS) return;
    this.logs.set(path, log);
    log.isChanged = true;
    if (!log.isBusy) void this.follow(path, log);
  }

  /** @param isNew true to search it first, whether or not it changes */
  private async follow(path: string, log: Log, isNew = false): Promise<void> {
    log.isBusy = true;
    try {
      if (isNew && (await this.read(path, log))) this.tell(path, log, true);
      while (log.isChanged && this.logs.get(path) === log) {
        await delay(GATHER_MS);
        log.isChanged = false;
        if (!(await this.read(path, log))) continue;
        // The message may go on.
        await delay(GATHER_MS);
        await this.read(path, log);
        this.tell(path, log, false);
      }
    } catch (error) {
      this.report(error);
    } finally {
      log.isBusy = false;
    }
  }

  /** Reads what was appended. A shorter log is a new one, whose program has not failed. @returns true for a failure */
  private async read(path: string, log: Log): Promise<boolean> {
    const file = await open(path, 'r');
    try {
      const { size, mtimeMs } = await file.stat();
      log.writtenAtUs = mtimeMs * 1000;
      if (size < log.end) this.listener.succeeded(sourceOf(path));
      if (log.end < 0 || size < log.end) {
        log.end = Math.max(0, size - MAX_END_BYTES);
        log.recent = new RecentText();
        log.decoder = new TextDecoder();
      }
      const chunk = new Uint8Array(Math.min(CHUNK_BYTES, size - log.end));
      let isFailed = false;
      while (log.end < size) {
        const { bytesRead } = await file.read(chunk, 0, Math.min(chunk.length, size - log.end), log.end);
        if (bytesRead === 0) break;
        log.end += bytesRead;
        if (log.recent.add(log.decoder.decode(chunk.subarray(0, bytesRead), { stream: true }))) isFailed = true;
      }
      return isFailed;
    } finally {
      await file.close();
    }
  }
}

/** When a file was written, in milliseconds; 0 if it is gone. */
async function savedAtMs(path: string): Promise<number> {
  const stats = await stat(path).catch(() => null);
  return stats?.mtimeMs ?? 0;
}

function newLog(): Log {
  const nothing = { end: -1, writtenAtUs: 0, isBusy: false, isChanged: false };
  return { ...nothing, recent: new RecentText(), decoder: new TextDecoder() };
}

function sourceOf(path: string): string {
  return `log ${path}`;
}
