import picomatch from 'picomatch';
import { SKIPPED_FOLDERS } from '../../node/skippedFolders.js';

/** True if the last component of `relative` (with `/`) is a folder that holds no snapshots. */
export function isSkippedFolder(relative: string): boolean {
  return SKIPPED_FOLDERS.has(relative.slice(relative.lastIndexOf('/') + 1));
}

/** The skipped folders as one glob for `workspace.findFiles`. */
export const SKIPPED_FOLDERS_GLOB = `**/{${[...SKIPPED_FOLDERS].join(',')}}/**`;

/**
 * True if a glob matches a whole path with `/`, as in VS Code's settings: also files with a leading dot, and patterns
 * without a slash at any depth. An invalid glob matches nothing.
 */
export function globMatcher(globs: readonly string[]): (relative: string) => boolean {
  const inPicomatch = globs
    .map((glob) => (glob.includes('/') ? glob.replace(/^\.?\//, '') : `**/${glob}`).replaceAll('[!', '[^'))
    // Picomatch throws on the others.
    .filter((glob) => glob !== '' && glob.length <= 1000);
  // Paths have slashes on every platform. By default picomatch reads `navigator`, which VS Code logs as an error.
  return picomatch(inPicomatch, { dot: true, nonegate: true, noextglob: true, windows: false });
}
