import * as vscode from 'vscode';
import { InternalCommand } from '../contributions.js';
import { recordedCellKey } from '../notebooks/cellNames.js';
import { distinctNames } from '../text/distinctNames.js';
import { basename, frameText } from '../../core/text/pathText.js';
import type { PythonFiles } from '../workspace/pythonFiles.js';

type Files = Pick<PythonFiles, 'uri'>;

/** The name of a file in a row: Jupyter's names of cells are not readable. */
function shortName(file: string): string {
  return recordedCellKey(file) === null ? basename(file) : vscode.l10n.t('notebook cell');
}

/** Names of files in one list: files with the same name get their folders. */
export function fileNames(files: ReadonlySet<string>): Map<string, string> {
  const cells = [...files].filter((file) => recordedCellKey(file) !== null);
  return new Map([
    ...distinctNames(new Set([...files].filter((file) => !cells.includes(file))), basename),
    ...cells.map((file) => [file, shortName(file)] as const),
  ]);
}

/** A frame of a stack as a row: one click opens it if it is the user's own. */
export function frameItem(frame: Frame, files: Files): vscode.TreeItem {
  const own = files.uri(frame.file) !== undefined;
  const item = new vscode.TreeItem(frame.function);
  item.description = `${shortName(frame.file)}:${frame.line}`;
  item.tooltip = `${frame.file}:${frame.line}`;
  item.iconPath = new vscode.ThemeIcon(own ? 'go-to-file' : 'library');
  if (own) item.command = openCommand(frame.file, frame.line);
  return item;
}

/** Shows a line beside the tree, which retains the focus. */
export function openCommand(file: string, line: number): vscode.Command {
  return {
    title: vscode.l10n.t('Open'),
    command: InternalCommand.openSource,
    arguments: [{ file, line }, { preserveFocus: true }],
  };
}

interface Frame {
  readonly file: string;
  readonly line: number;
  readonly function: string;
}

const MAX_FRAMES = 3;

/** A stack as a row. @param facts lines of the tooltip above the frames */
export function stackItem(label: string, frames: readonly Frame[], files: Files, ...facts: string[]): vscode.TreeItem {
  const item = new vscode.TreeItem(label, vscode.TreeItemCollapsibleState.Collapsed);
  const mine = frames.filter(({ file }) => files.uri(file) !== undefined);
  const shown = (mine.length > 0 ? mine : frames).slice(0, MAX_FRAMES);
  item.description = shown.map(frameText).join(' ← ');
  item.tooltip = [...facts, ...frames.map(frameText)].join('\n');
  item.iconPath = new vscode.ThemeIcon('layers');
  return item;
}
