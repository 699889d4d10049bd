/**
 * Starts the extension: registers all names for VS Code, then watches for snapshots. The first of either loads the
 * rest.
 */
import * as vscode from 'vscode';
import type { LeaklineApi } from './api.js';
import { ContextKey, Setting } from './contributions.js';
import { MarkSwitch } from './marks/markSwitch.js';
import { LogWatch } from './oom/logWatch.js';
import { OutputWatch, type OutputListener } from './oom/outputWatch.js';
import { register, registerViews } from './registrations.js';
import { affects } from './settings.js';
import { isPickle } from './snapshots/pickleTabs.js';
import type { Surfaces } from './surfaces.js';
import type { SnapshotWatchers } from './watch/snapshotWatchers.js';

let stop: () => Promise<void> = () => Promise.resolve();

export function activate(context: vscode.ExtensionContext): LeaklineApi {
  const log = vscode.window.createOutputChannel('Leakline', { log: true });
  const marks = new MarkSwitch(context.workspaceState);
  const reports = new vscode.EventEmitter<void>();
  let watching: Promise<SnapshotWatchers> | null = null;
  let loading: Promise<Surfaces> | null = null;
  let loaded: Surfaces | null = null;
  const watch = (): Promise<SnapshotWatchers> => (watching ??= startWatching());
  const surfaces = (): Promise<Surfaces> => (loading ??= load());
  const trees = registerViews(surfaces);

  const startWatching = async (): Promise<SnapshotWatchers> => {
    const { SnapshotWatchers: Watchers } = await import('./watch/snapshotWatchers.js');
    const watchers = new Watchers(log, {
      noticed: (path) => void surfaces().then(({ session }) => session.noticed(path)),
      scanned: () => {
        if (loading !== null) void loading.then(({ session }) => session.scanned());
        else if (!watchers.scanning) void vscode.commands.executeCommand('setContext', ContextKey.state, 'empty');
      },
      limited: () => void loading?.then(({ session }) => session.limited()),
    });
    watchers.start();
    return watchers;
  };

  const load = async (): Promise<Surfaces> => {
    const watchers = await watch();
    const { createSurfaces } = await import('./surfaces.js');
    loaded = createSurfaces(context, { log, watchers, marks, trees });
    context.subscriptions.push(loaded.store.onDidChange(() => reports.fire()));
    return loaded;
  };

  const messages: OutputListener = {
    failed: (text) => {
      marks.showWhileDebugging();
      surfaces()
        .then(({ messages }) => messages.explain(text))
        .catch((error: unknown) => log.error(`Out-of-memory message: ${String(error)}`));
    },
    succeeded: (source) => loaded?.messages.clear(source),
  };
  const restart = (): void => void watching?.then((watchers) => watchers.start());
  context.subscriptions.push(
    log,
    marks,
    reports,
    new OutputWatch(messages),
    new LogWatch(messages, (error) => log.warn(`Log: ${String(error)}`)),
    trees.leaks,
    trees.compare,
    trees.snapshots,
    ...register(surfaces),
    vscode.window.tabGroups.onDidChangeTabs(({ opened }) => {
      if (opened.some(({ input }) => input instanceof vscode.TabInputText && isPickle(input.uri))) void surfaces();
    }),
    vscode.workspace.onDidChangeWorkspaceFolders(() => {
      if (loaded === null) restart();
    }),
    vscode.workspace.onDidChangeConfiguration((event) => {
      const { snapshotsInclude, snapshotsExclude } = Setting;
      const isMine = affects(event, snapshotsInclude) || affects(event, snapshotsExclude);
      if (loaded === null && isMine) restart();
    }),
  );
  // VS Code waits for this function, not for the folders.
  const starting = setImmediate(() => void watch());
  stop = async () => {
    clearImmediate(starting);
    await Promise.all([(await watching)?.close(), loaded?.session.stop()]);
  };
  return {
    version: 1,
    report: () => loaded?.report() ?? null,
    onDidChangeReport: reports.event,
    openSnapshot: async (path) => (await surfaces()).session.open(path),
    compare: async (before, after) => (await surfaces()).session.comparison(before, after),
  };
}

/** Waits for the worker and the watchers to end. */
export async function deactivate(): Promise<void> {
  await stop();
}
