/** Folders in which the system shows itself as files; a process's folder there links to any other. */
const SYSTEM_FOLDER = /^\/(?:proc|sys|dev)(?:\/|$)/;

/** @param real absolute, without links */
export function isSystemFolder(real: string): boolean {
  return SYSTEM_FOLDER.test(real);
}

/** Folders that hold neither code nor recordings of the user's, and may be huge. */
export const SKIPPED_FOLDERS: ReadonlySet<string> = new Set([
  'node_modules',
  'site-packages',
  'dist-packages',
  '__pycache__',
  'venv',
  '.git',
  '.hg',
  '.svn',
  '.venv',
  '.tox',
  '.nox',
  '.mypy_cache',
  '.pytest_cache',
  '.ruff_cache',
  '.ipynb_checkpoints',
  '.conda',
  '.cache',
  '.vscode',
  '.idea',
]);
