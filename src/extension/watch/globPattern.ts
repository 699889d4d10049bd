import { SKIPPED_FOLDERS } from '../../node/skippedFolders.js';

/** True if the last component of `relative` (with `/`) is a folder that holds no snapshots. */
export function isSkippedFolder(relative: string): boolean {
  return SKIPPED_FOLDERS.has(relative.slice(relative.lastIndexOf('/') + 1));
}

/** The skipped folders as one glob for `workspace.findFiles`. */
export const SKIPPED_FOLDERS_GLOB = `**/{${[...SKIPPED_FOLDERS].join(',')}}/**`;

/**
 * A glob as VS Code's settings write them: `*`, `?`, `**`, `{a,b}` and `[a-z]`, matched against a whole path with `/`.
 * A pattern without a slash matches at any depth.
 */
function globToRegExp(glob: string): RegExp {
  const pattern = glob.includes('/') ? glob.replace(/^\.?\//, '') : `**/${glob}`;
  let source = '';
  let depth = 0;
  for (let i = 0; i < pattern.length; i++) {
    const sign = pattern[i];
    if (pattern.startsWith('**/', i)) {
      source += '(?:[^/]+/)*';
      i += 2;
    } else if (pattern.startsWith('**', i)) {
      source += '.*';
      i += 1;
    } else if (sign === '*') source += '[^/]*';
    else if (sign === '?') source += '[^/]';
    else if (sign === '{') {
      source += '(?:';
      depth++;
    } else if (sign === '}' && depth > 0) {
      source += ')';
      depth--;
    } else if (sign === ',' && depth > 0) source += '|';
    else if (sign === '[' && pattern.indexOf(']', i + 2) > 0) {
      const end = pattern.indexOf(']', i + 2);
      source += `[${pattern
        .slice(i + 1, end)
        .replace(/^!/, '^')
        .replace(/\\/g, '\\\\')}]`;
      i = end;
    } else source += sign.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
  }
  return new RegExp(`^${source}${')'.repeat(depth)}$`);
}

/** True if any of the globs matches. A glob that makes no sense matches nothing. */
export function globMatcher(globs: readonly string[]): (relative: string) => boolean {
  const patterns = globs.flatMap((glob) => {
    try {
      return [globToRegExp(glob)];
    } catch {
      return [];
    }
  });
  return (relative) => patterns.some((pattern) => pattern.test(relative));
}
