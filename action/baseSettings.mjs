/** Baseline and budget of the base branch: a pull request must not loosen its own check. */
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, lstatSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const name = '.leakline.json';
/** More than Leakline reads of it. */
const maxBuffer = 1 << 23;

/**
 * Runs a check with the settings file of a pull request's base in place of its own; other events have no base.
 * @throws Error with a sentence for the log
 */
export function withSettingsOfBase(root, { pull_request: pull, merge_group: group }, folder, check) {
  const base = pull?.base.sha ?? group?.base_sha;
  if (base === undefined) return check();
  const settings = settingsAt(base, root);
  const path = join(root, name);
  const own = join(folder, 'own.json');
  const isThere = lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  if (isThere) cpSync(path, own, { recursive: true, verbatimSymlinks: true });
  // A link is replaced, not followed.
  rmSync(path, { recursive: true, force: true });
  try {
    if (settings !== null) writeFileSync(path, settings);
    return check();
  } finally {
    rmSync(path, { force: true });
    if (isThere) cpSync(own, path, { recursive: true, verbatimSymlinks: true });
  }
}

/** The file at a commit, null if it has none there. */
function settingsAt(commit, root) {
  if (!existsSync(root)) throw new Error(`The input root names no folder: '${root}'. Check the repository out first.`);
  const git = (...args) => {
    const done = spawnSync('git', args, { cwd: root, encoding: 'utf8', maxBuffer });
    if (done.error?.code === 'ENOENT')
      throw new Error('git is missing, which reads the baseline and budget of the base. Install it in this job.');
    return done;
  };
  const isThere = git('cat-file', '-e', `${commit}^{commit}`).status === 0;
  if (!isThere) git('fetch', '--quiet', '--depth=1', 'origin', commit);
  const listed = git('ls-tree', '--name-only', commit, '--', name);
  if (listed.status !== 0)
    throw new Error(`The baseline and budget of the base ${commit} cannot be read. Check out with fetch-depth: 0.`);
  return listed.stdout === '' ? null : git('show', `${commit}:./${name}`).stdout;
}
