import { watch } from 'chokidar';
import { relative, sep } from 'node:path';
import type { Translator } from '../text/translator.js';
import type { SnapshotWatcher, WatchListener, WatchScope } from './snapshotWatcher.js';

/** Folders below the workspace folder that are still walked. */
const DEEPEST = 16;
/** Folders walked and watched at most: each costs a watch of the operating system. */
const MOST_FOLDERS = 10_000;
/** Candidate files watched at most. */
const MOST_FILES = 20_000;

/** Between two looks at every file and folder where events stay silent, in milliseconds. */
const POLL_MS = 2_000;

/** Watches one folder. Only candidate files and the folders on the way are watched at all. */
export function watchFolder(scope: WatchScope, listener: WatchListener, l10n: Translator): SnapshotWatcher {
  const folders = new Set<string>();
  const files = new Set<string>();
  let limited = false;
  let scanning = true;

  const admit = (known: Set<string>, path: string, most: number): boolean => {
    if (known.has(path)) return true;
    if (known.size < most) {
      known.add(path);
      return true;
    }
    if (!limited) {
      limited = true;
      listener.limited(
        l10n.t('{0} is too large to be watched whole; narrow it with the setting "Snapshots: Exclude".', scope.folder),
      );
    }
    return false;
  };

  const watcher = watch(scope.folder, {
    depth: DEEPEST,
    ignorePermissionErrors: true,
    usePolling: scope.polls,
    interval: POLL_MS,
    binaryInterval: POLL_MS,
    ignored(path, stats) {
      const below = relative(scope.folder, path).split(sep).join('/');
      if (below === '') return false;
      if (stats === undefined) return scope.skips(below);
      if (stats.isDirectory()) return scope.skips(below) || !admit(folders, path, MOST_FOLDERS);
      if (stats.isSymbolicLink()) return scope.skips(below); // asked again about what it leads to
      return !stats.isFile() || !scope.includes(below) || !admit(files, path, MOST_FILES);
    },
  });
  const noticed = (path: string): void => {
    listener.noticed(path);
  };
  watcher.on('add', noticed);
  watcher.on('change', noticed);
  watcher.on('unlink', (path) => {
    files.delete(path);
    noticed(path);
  });
  watcher.on('unlinkDir', (path) => {
    folders.delete(path);
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
