import * as vscode from 'vscode';

/** Maximum of commits to search for the one before a snapshot. */
const MOST_COMMITS = 100;

/** The used part of the built-in git extension's API (version 1). */
interface GitRepository {
  show(ref: string, path: string): Promise<string>;
  log(options: { maxEntries: number; path: string }): Promise<{ hash: string; commitDate?: Date }[]>;
}
interface GitExtension {
  getAPI(version: 1): { getRepository(uri: vscode.Uri): GitRepository | null };
}

/** Earlier texts of files, from their git repository. */
export class GitTexts {
  /** A file at a revision; null if git does not have it. */
  async atCommit(file: vscode.Uri, commit: string): Promise<string | null> {
    const repository = await repositoryOf(file);
    return repository === null ? null : shown(repository, commit, file);
  }

  /** A file as it was last committed before a time in milliseconds since the epoch, null if git does not have it. */
  async atTime(file: vscode.Uri, time: number): Promise<string | null> {
    const repository = await repositoryOf(file);
    if (repository === null) return null;
    try {
      const commits = await repository.log({ maxEntries: MOST_COMMITS, path: file.fsPath });
      const before = commits.find(({ commitDate }) => commitDate !== undefined && commitDate.getTime() <= time);
      return before === undefined ? null : await shown(repository, before.hash, file);
    } catch {
      return null;
    }
  }
}

async function shown(repository: GitRepository, ref: string, file: vscode.Uri): Promise<string | null> {
  try {
    return await repository.show(ref, file.fsPath);
  } catch {
    return null; // the revision is not here, or the file was not in it
  }
}

async function repositoryOf(file: vscode.Uri): Promise<GitRepository | null> {
  try {
    const git = vscode.extensions.getExtension<GitExtension>('vscode.git');
    return (await git?.activate())?.getAPI(1).getRepository(file) ?? null;
  } catch {
    return null; // git is switched off
  }
}
