/** Rows of the views: what VS Code shows of them, and what is below them, is made when it asks. */
import * as vscode from 'vscode';
import type { RunReport } from '../../core/report/report.js';
import { basename, fileAndLine, frameText } from '../../core/text/pathText.js';
import { InternalCommand } from '../contributions.js';
import { Listener } from '../disposer.js';
import { recordedCellKey } from '../notebooks/cellNames.js';
import { distinctNames } from '../text/distinctNames.js';
import type { PythonFiles } from '../workspace/pythonFiles.js';

/** What commands on a row are about. */
interface Target {
  readonly file?: string;
  readonly line?: number;
  readonly path?: string;
  readonly run?: RunReport;
}

export interface Row extends Target {
  readonly parent: Row | null;
  readonly item: () => vscode.TreeItem;
  readonly children: () => Row[];
}

/** @param children of the row itself */
export function rowOf(
  parent: Row | null,
  item: () => vscode.TreeItem,
  children: (row: Row) => Row[] = () => [],
  target: Target = {},
): Row {
  const row: Row = { ...target, parent, item, children: () => children(row) };
  return row;
}

/** What a row shows beside its label. */
interface Shown {
  readonly id?: string;
  readonly description?: string | undefined;
  readonly tooltip?: string;
  readonly icon?: string | undefined;
  readonly color?: string | null;
  readonly contextValue?: string;
  readonly command?: vscode.Command | undefined;
}

/** @param isOpen null for a row without others below it */
export function itemOf(label: string, isOpen: boolean | null, { icon, color, ...shown }: Shown): vscode.TreeItem {
  const { None, Expanded, Collapsed } = vscode.TreeItemCollapsibleState;
  const item = new vscode.TreeItem(label, isOpen === null ? None : isOpen ? Expanded : Collapsed);
  if (icon !== undefined)
    item.iconPath = new vscode.ThemeIcon(icon, color == null ? undefined : new vscode.ThemeColor(color));
  return Object.assign(item, shown);
}

/** A tree of rows. */
export abstract class RowTree extends Listener {
  protected readonly changedEmitter = new vscode.EventEmitter<void>();

  readonly onDidChangeTreeData = this.changedEmitter.event;

  protected abstract roots(): Row[];

  getChildren(row?: Row): Row[] {
    return row === undefined ? this.roots() : row.children();
  }
}

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

/** A stack with its frames below: one click opens one that is the user's own. @param facts lines of the tooltip above the frames */
export function stackRow(
  parent: Row,
  label: string,
  frames: readonly Frame[],
  files: Files,
  ...facts: readonly string[]
): Row {
  const isOwn = ({ file }: Frame): boolean => files.uri(file) !== undefined;
  const frameItem = (frame: Frame): vscode.TreeItem =>
    itemOf(frame.function, null, {
      description: `${shortName(frame.file)}:${frame.line}`,
      tooltip: fileAndLine(frame),
      icon: isOwn(frame) ? 'go-to-file' : 'library',
      command: isOwn(frame) ? openCommand(frame.file, frame.line) : undefined,
    });
  return rowOf(
    parent,
    () =>
      itemOf(label, false, {
        description: (frames.some(isOwn) ? frames.filter(isOwn) : frames)
          .slice(0, MAX_FRAMES)
          .map(frameText)
          .join(' ← '),
        tooltip: [...facts, ...frames.map(frameText)].join('\n'),
        icon: 'layers',
      }),
    (row) => frames.map((frame) => rowOf(row, () => frameItem(frame))),
  );
}
