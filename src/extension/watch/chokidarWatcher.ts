import { watch } from 'chokidar';
import { existsSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { t } from '../../core/text/translate.js';
import { LinkedFolders, type Link } from './linkedFolders.js';

/** The source of file events. The intake checks each event, so a watcher may report too many. */
export interface SnapshotWatcher {
  /** True until the folder has been walked once. */
  readonly scanning: boolean;
  close(): Promise<void>;
}

export interface WatchListener {
  /** A candidate or its sidecar appeared, changed or disappeared. */
  noticed(path: string): void;
  /** The first walk is over. */
  scanned(): void;
  /** A message on unwatched files, one sentence. */
  limited(message: string): void;
}

/** The watched part of a folder. */
export interface WatchScope {
  /** Absolute path. */
  readonly folder: string;
  /** True for polling instead of events. */
  readonly polls: boolean;
  /**
   * The snapshot of a file or of its sidecar; null for files that are not watched. @param relative path below the
   * folder, with `/`
   */
  snapshotOf(relative: string): string | null;
  /** @param relative path of a directory below the folder, with `/` */
  skips(relative: string): boolean;
}

/** Folders below the workspace folder that are still walked. */
const DEEPEST = 16;
/** Maximum number of watches: each folder, and each file that is a link or is polled, needs a watch of the system. */
const MAX_WATCHED = { folders: 10_000, linkedFolders: 1_000, snapshots: 20_000, polled: 4_000 };

/** Polling interval if events are missing, in milliseconds. */
const POLL_MS = 2_000;
/** Events of a folder are collected for so long, in milliseconds: a file that is written causes thousands. */
const COLLECT_MS = 50;

/**
 * Watches one folder: candidate files and the folders above them. Chokidar watches only folders, because the events of a
 * folder name its files: 20,000 watches of files took 220 MiB more.
 */
export function watchFolder(
  scope: WatchScope,
  listener: WatchListener,
  max: Readonly<typeof MAX_WATCHED> = MAX_WATCHED,
): SnapshotWatcher {
  const folders = new Set<string>();
  const snapshots = new Set<string>();
  /** Reported files that need no watch of their own. */
  const files = new Set<string>();
  /** Files with events that were not reported yet. */
  const changed = new Set<string>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const linked = new Set<string>();
  const links = new LinkedFolders(scope.folder);
  const above = new Set<string>();
  const maxSnapshots = scope.polls ? max.polled : max.snapshots;
  let limited = false;
  let scanning = true;

  const admit = (known: Set<string>, path: string, maxKnown: number): boolean => {
    if (known.has(path)) return true;
    if (known.size < maxKnown) {
      known.add(path);
      return true;
    }
    if (!limited) {
      limited = true;
      listener.limited(
        t('{0} is too large to watch completely; exclude folders with the setting "Snapshots: Exclude".', scope.folder),
      );
    }
    return false;
  };

  /** The way to a folder or file; null if it is a link that leads where nothing more is to be watched. */
  const wayTo = (path: string, name: string, isFolder: boolean): Link | null => {
    const { link, real } = links.of(name);
    if (link === 'above' && !above.has(path)) {
      above.add(path);
      listener.limited(
        t(
          '{0} is not watched: it links to {1}, which contains this folder or files of the system. Link to the folder of the snapshots.',
          path,
          real,
        ),
      );
    }
    if (link === 'known' || link === 'above') return null;
    return link === 'other' && isFolder && !admit(linked, path, max.linkedFolders) ? null : link;
  };

  const below = (path: string): string => relative(scope.folder, path).split(sep).join('/');
  /** The way to a file that is a candidate, else null. */
  const wayToCandidate = (path: string, name: string): Link | null => {
    const snapshot = scope.snapshotOf(name);
    const way = snapshot === null ? null : wayTo(path, name, false);
    return snapshot !== null && way !== null && admit(snapshots, snapshot, maxSnapshots) ? way : null;
  };
  const noticed = (path: string): void => listener.noticed(path);
  const removed = (path: string): void => {
    files.delete(path);
    // The sidecar may be removed first: it was not counted.
    snapshots.delete(below(path));
    noticed(path);
  };
  const reportChanges = (): void => {
    clearTimeout(timer);
    timer = undefined;
    for (const path of changed) {
      if (!existsSync(path)) {
        if (files.has(path)) removed(path);
      } else if (wayToCandidate(path, below(path)) !== null) {
        files.add(path);
        noticed(path);
      }
    }
    changed.clear();
  };
  const watcher = watch(scope.folder, {
    depth: DEEPEST,
    ignorePermissionErrors: true,
    usePolling: scope.polls,
    interval: POLL_MS,
    binaryInterval: POLL_MS,
    ignored(path, stats) {
      const name = below(path);
      if (name === '') return false;
      if (stats === undefined) return scope.skips(name);
      if (stats.isDirectory())
        return scope.skips(name) || wayTo(path, name, true) === null || !admit(folders, path, max.folders);
      if (stats.isSymbolicLink()) return scope.skips(name); // asked again about what it leads to
      const way = stats.isFile() ? wayToCandidate(path, name) : null;
      if (way === null) return true;
      // No event of its folder tells of a link's target, and of polled files.
      if (scope.polls || way === 'other') return false;
      if (!files.has(path)) {
        files.add(path);
        noticed(path);
      }
      return true;
    },
  });
  watcher.on('add', noticed);
  watcher.on('change', noticed);
  watcher.on('unlink', removed);
  watcher.on('unlinkDir', (path) => {
    folders.delete(path);
    linked.delete(path);
    for (const file of [...files]) if (file.startsWith(path + sep)) removed(file);
  });
  watcher.on('raw', (_, name: string | null, watched) => {
    const { watchedPath: folder } = watched as { watchedPath: string };
    if (scope.polls || (folder !== scope.folder && !folders.has(folder))) return;
    // On Windows, too many events at once have no names.
    const paths = name === null ? [...files].filter((file) => dirname(file) === folder) : [join(folder, name)];
    for (const path of paths) if (scope.snapshotOf(below(path)) !== null) changed.add(path);
    if (changed.size > 0) timer ??= setTimeout(reportChanges, COLLECT_MS);
  });
  watcher.on('ready', () => {
    reportChanges();
    scanning = false;
    listener.scanned();
  });
  watcher.on('error', (error) => {
    const reason = error instanceof Error ? error.message : String(error);
    listener.limited(t('Part of {0} is not watched: {1}.', scope.folder, reason));
  });
  return {
    get scanning() {
      return scanning;
    },
    async close() {
      clearTimeout(timer);
      await watcher.close();
    },
  };
}
