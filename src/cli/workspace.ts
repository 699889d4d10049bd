/** The folder of the sources, and what it says about known leaks. */
import { realpath, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { WorkspaceRoot } from '../core/attribution/paths/pathMapping.js';
import type { ReportWorkspace } from '../core/report/reportWorkspace.js';
import { type IgnoreFile, readIgnoreFile } from '../node/ignoreFile.js';
import { listPythonFiles } from '../node/listPythonFiles.js';
import { SourceFiles } from '../node/sourceFiles.js';
import type { CommonArguments } from './arguments.js';
import type { Complain, CommandContext } from './inputs.js';
import { UsageError } from './usageError.js';

/** @throws UsageError if the root is not a folder */
export async function workspaceOf(
  { root, rules }: Pick<CommonArguments, 'root' | 'rules'>,
  { within }: Pick<CommandContext, 'within'>,
): Promise<ReportWorkspace> {
  if (root === null) {
    if (rules.length > 0) throw new UsageError('--map needs --root: the workspace that holds the folder.');
    return { files: [], rules: [] };
  }
  const facts = await stat(root).catch(() => null);
  if (facts?.isDirectory() !== true)
    throw new UsageError(`The root ${root} is not a folder: name that of the workspace.`);
  const { lineText, sourceText, sourceFacts } = new SourceFiles([{ prefix: '', folder: root }]);
  const roots = await rootsOf(root);
  return { files: await listPythonFiles(root, within), rules, roots, lineText, sourceText, sourceFacts };
}

/** The folder as it is named, and without links: a program may record either. */
export async function rootsOf(root: string): Promise<WorkspaceRoot[]> {
  const folders = new Set([resolve(root), await realpath(root).catch(() => resolve(root))]);
  return [...folders].map((folder) => ({ prefix: '', folder }));
}

/** The ignore file of a workspace; null without a workspace, or after a complaint about an invalid file. */
export async function ignoreFile(root: string | null, complain: Complain): Promise<IgnoreFile | null> {
  if (root === null) return null;
  try {
    return await readIgnoreFile(root);
  } catch (error) {
    complain(error instanceof Error ? error.message : String(error));
    return null;
  }
}
