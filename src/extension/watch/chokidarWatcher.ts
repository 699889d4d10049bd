import { watch } from 'chokidar';
import { relative, sep } from 'node:path';
import { LinkedFolders } from './linkedFolders.js';
import type { Translator } from '../text/translator.js';
import type { SnapshotWatcher, WatchListener, WatchScope } from './snapshotWatcher.js';

/** Folders below the workspace folder that are still walked. */
const DEEPEST = 16;
/** Maximum of watched files: each needs a watch of the operating system, or two with a sidecar. */
const MOST = { folders: 10_000, linkedFolders: 1_000, snapshots: 20_000 };

/** Polling interval if events are missing, in milliseconds. */
const POLL_MS = 2_000;

/** Watches one folder: only candidate files and the folders above them. */
export function watchFolder(
  scope: WatchScope,
  listener: WatchListener,
  l10n: Translator,
  most: Readonly<typeof MOST> = MOST,
): SnapshotWatcher {
  const folders = new Set<string>();
  const snapshots = new Set<string>();
  const linked = new Set<string>();
  const links = new LinkedFolders(scope.folder);
  const above = new Set<string>();
  let limited = false;
  let scanning = true;

  const admit = (known: Set<string>, path: string, mostKnown: number): boolean => {
    if (known.has(path)) return true;
    if (known.size < mostKnown) {
      known.add(path);
      return true;
    }
    if (!limited) {
      limited = true;
      listener.limited(
        l10n.t(
          '{0} is too large to watch completely; exclude folders with the setting "Snapshots: Exclude".',
          scope.folder,
        ),
      );
    }
    return false;
  };

  /** Whether a link leads where nothing more is to be watched. */
  const leadsBack = (path: string, name: string, isFolder: boolean): boolean => {
    const { link, real } = links.of(name);
    if (link === 'above' && !above.has(path)) {
      above.add(path);
      listener.limited(
        l10n.t(
          '{0} is not watched: it links to {1}, which contains {2}. Link to the folder of the snapshots.',
          path,
          real,
          scope.folder,
        ),
      );
    }
    return (
      link === 'known' || link === 'above' || (link === 'other' && isFolder && !admit(linked, path, most.linkedFolders))
    );
  };

  const below = (path: string): string => relative(scope.folder, path).split(sep).join('/');
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
        return scope.skips(name) || leadsBack(path, name, true) || !admit(folders, path, most.folders);
      if (stats.isSymbolicLink()) return scope.skips(name); // asked again about what it leads to
      const snapshot = stats.isFile() ? scope.snapshotOf(name) : null;
      return snapshot === null || leadsBack(path, name, false) || !admit(snapshots, snapshot, most.snapshots);
    },
  });
  const noticed = (path: string): void => listener.noticed(path);
  watcher.on('add', noticed);
  watcher.on('change', noticed);
  watcher.on('unlink', (path) => {
    // The sidecar may be removed first: it was not counted.
    snapshots.delete(below(path));
    noticed(path);
  });
  watcher.on('unlinkDir', (path) => {
    folders.delete(path);
    linked.delete(path);
  });
  watcher.on('ready', () => {
    scanning = false;
    listener.scanned();
  });
  watcher.on('error', (error) => {
    const reason = error instanceof Error ? error.message : String(error);
    listener.limited(l10n.t('Part of {0} is not watched: {1}.', scope.folder, reason));
  });
  return {
    get scanning() {
      return scanning;
    },
    async close() {
      await watcher.close();
    },
  };
}
