/** The folder of the sources, and what it says about known leaks. */
import { stat } from 'node:fs/promises';
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
  return { files: await listPythonFiles(root, within), rules, lineText, sourceText, sourceFacts };
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
