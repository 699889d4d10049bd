import * as vscode from 'vscode';
import type { ProcessFinding, StackReport } from '../../core/report/report.js';
import { Color, Command, RowKind } from '../contributions.js';
import type { EditorMarks } from '../marks/editorMarks.js';
import {
  amountText,
  blocksText,
  evidenceTexts,
  placeText,
  rankText,
  rateText,
  verdictText,
} from '../marks/markText.js';
import { disposeAll } from '../disposer.js';
import type { LineMark, MarkTone } from '../results/lineMarks.js';
import { ignoredRowUri } from '../ignore/ignoredRows.js';
import type { ResultsStore } from '../results/resultsStore.js';
import { byteText } from '../../core/text/byteText.js';
import { basename } from '../text/pathText.js';
import type { PythonFiles } from '../workspace/pythonFiles.js';
import type { LeakGrouping } from './leakGrouping.js';
import { groupLines } from './leakGroups.js';
import {
  frameNodes,
  stackNodes,
  type GroupNode,
  type LeakNode,
  type LineNode,
  type ProcessNode,
  type StackNode,
  type UnmappedNode,
} from './leakNodes.js';
import { unmappedFiles } from '../workspace/recordedFolders.js';
import { fileNames, frameItem, openCommand } from './sourceItems.js';
import { frameText, stackSummary } from './stackText.js';

const ICONS: Record<MarkTone, [icon: string, color: string | null]> = {
  leak: ['arrow-up', Color.leak],
  cycle: ['sync', Color.cycle],
  growth: ['arrow-up', Color.growth],
  growing: ['watch', null],
};

/** Marked lines, worst first, with their stacks and frames; gathered by file or by who keeps them if the user likes. */
export class LeaksTree implements vscode.TreeDataProvider<LeakNode>, vscode.Disposable {
  private readonly changedEmitter = new vscode.EventEmitter<void>();
  private readonly subscriptions: readonly vscode.Disposable[];
  private lines: LineNode[] = [];
  /** Empty while rows are not gathered. */
  private groups: GroupNode[] = [];
  /** Lines that were edited since they ran, or may have been, when rows were told to look last. */
  private edited: readonly LineMark[] = [];
  /** Files by what their rows call them. */
  private names: ReadonlyMap<string, string> = new Map();

  readonly onDidChangeTreeData = this.changedEmitter.event;

  constructor(
    private readonly store: ResultsStore,
    private readonly files: PythonFiles,
    grouping: LeakGrouping,
    private readonly marks: EditorMarks,
  ) {
    const refresh = (): void => {
      const rows = (marks: readonly LineMark[], ignored: boolean): LineNode[] =>
        marks.map((mark) => ({ kind: 'line', file: mark.file, line: mark.line, mark, ignored }));
      this.lines = [...rows(store.marks, false), ...rows(store.ignoredMarks, true)];
      this.names = fileNames(new Set(this.lines.map(({ file }) => file)));
      this.groups = grouping.current === 'line' ? [] : groupLines(this.lines, grouping.current);
      this.changedEmitter.fire();
    };
    this.subscriptions = [
      store.onDidChange(refresh),
      grouping.onDidChange(refresh),
      marks.onDidMove(() => {
        const edited = this.lines
          .filter(({ mark }) => marks.isEdited(mark) || marks.isOtherVersion(mark))
          .map(({ mark }) => mark);
        const isSame = edited.length === this.edited.length && edited.every((mark, i) => mark === this.edited[i]);
        // Rows say that a line was edited, not where it has moved to.
        if (isSame) return;
        this.edited = edited;
        this.changedEmitter.fire();
      }),
    ];
  }

  /** The row of a line. */
  find(file: string, line: number): LineNode | undefined {
    return this.lines.find((node) => node.file === file && node.line === line);
  }

  getChildren(node?: LeakNode): LeakNode[] {
    switch (node?.kind) {
      case undefined: {
        const rows =
          this.groups.length === 0 ? this.lines : [...this.groups, ...this.lines.filter(({ ignored }) => ignored)];
        return [...rows, ...this.processes(), ...this.unmapped()];
      }
      case 'group':
        return [...node.lines];
      case 'line':
        return stackNodes(node);
      case 'stack':
        return frameNodes(node);
      default:
        return [];
    }
  }

  getParent(node: LeakNode): LeakNode | undefined {
    if (node.kind === 'line') return this.groups.find(({ lines }) => lines.includes(node));
    return node.kind === 'stack' || node.kind === 'frame' ? node.parent : undefined;
  }

  getTreeItem(node: LeakNode): vscode.TreeItem {
    switch (node.kind) {
      case 'group':
        return groupItem(node, this.names);
      case 'line':
        return this.lineItem(node);
      case 'stack':
        return this.stackItem(node);
      case 'frame':
        return this.frameItem(node.parent.stack.frames[node.index]);
      case 'process':
        return processItem(node);
      case 'unmapped':
        return node.of === 'files' ? unmappedItem(node.count) : unmatchedCellsItem(node.count);
    }
  }

  dispose(): void {
    disposeAll(this.subscriptions);
    this.changedEmitter.dispose();
  }

  private unmapped(): UnmappedNode[] {
    const paths = this.store.result?.paths;
    if (paths === undefined) return [];
    const { files, cells } = unmappedFiles(paths.unmapped);
    const counts = { files: files.length + paths.ambiguous.length, cells: cells.length };
    return (['files', 'cells'] as const).flatMap((of): UnmappedNode[] =>
      counts[of] === 0 ? [] : [{ kind: 'unmapped', of, count: counts[of] }],
    );
  }

  private processes(): ProcessNode[] {
    const runs = this.store.result?.report.runs ?? [];
    return runs.flatMap(({ id, process }) =>
      process.map((finding): ProcessNode => ({ kind: 'process', runId: id, finding })),
    );
  }

  private lineItem({ mark, ignored }: LineNode): vscode.TreeItem {
    const { run, line } = mark.parts[0];
    const item = new vscode.TreeItem(
      `${this.names.get(mark.file) ?? mark.file}:${mark.line}`,
      vscode.TreeItemCollapsibleState.Collapsed,
    );
    item.id = `${mark.mapped}:${mark.line}:${mark.file}`;
    const facts = [amountText(mark, vscode.l10n), rateText(run, line, vscode.l10n), rankText(mark, vscode.l10n)];
    const edited = this.marks.isEdited(mark);
    const other = this.marks.isOtherVersion(mark);
    const { unfound } = line;
    const called = unfound === null ? [] : [vscode.l10n.t('in {0}, not found', placeText(unfound))];
    const description = [...called, ...facts].filter(Boolean).join(' · ');
    // First, for the view is narrow.
    item.description = edited
      ? vscode.l10n.t('edited since · {0}', description)
      : other
        ? vscode.l10n.t('of another version · {0}', description)
        : description;
    const [icon, usual] = ICONS[mark.tone];
    const color = edited || other ? 'disabledForeground' : usual;
    item.iconPath = new vscode.ThemeIcon(icon, color === null ? undefined : new vscode.ThemeColor(color));
    const sentences = [`${mark.file}:${mark.line} ${line.function}`, verdictText(line.verdict, vscode.l10n)];
    if (!mark.mapped) sentences.push(vscode.l10n.t('Not matched with a file of this workspace.'));
    item.tooltip = [...sentences, ...evidenceTexts(mark.parts[0], vscode.l10n)].join('\n');
    item.contextValue = mark.mapped ? RowKind.mappedLine : RowKind.unmappedLine;
    if (mark.mapped) item.command = openCommand(mark.file, mark.line);
    return ignored ? greyed(item) : item;
  }

  private frameItem(frame: StackReport['frames'][number]): vscode.TreeItem {
    return frameItem(frame, this.files.uri(frame.file) !== undefined);
  }

  private stackItem(node: StackNode): vscode.TreeItem {
    const { stack } = node;
    const amount = `${byteText(stack.liveBytes)} · ${blocksText(stack.blocks, vscode.l10n)}`;
    const item = new vscode.TreeItem(amount, vscode.TreeItemCollapsibleState.Collapsed);
    item.description = stackSummary(stack.frames, (file) => this.files.uri(file) !== undefined);
    item.tooltip = stack.frames.map(frameText).join('\n');
    item.iconPath = new vscode.ThemeIcon('layers');
    return item;
  }
}

/** Memory that no line answers for, below the lines. */
function processItem({ runId, finding }: ProcessNode): vscode.TreeItem {
  const item = new vscode.TreeItem(processTitle(finding.verdict));
  item.id = `process:${finding.verdict}:${finding.device ?? ''}:${runId}`;
  const device = finding.device === null ? '' : vscode.l10n.t('device {0}', finding.device);
  item.description = [byteText(finding.bytes), device].filter(Boolean).join(' · ');
  item.tooltip = [finding.message, ...finding.settings.map(({ name, value, why }) => `${name}:${value} — ${why}`)].join(
    '\n',
  );
  item.iconPath = new vscode.ThemeIcon('server-process');
  return item;
}

function processTitle(verdict: ProcessFinding['verdict']): string {
  switch (verdict) {
    case 'reservedOnly':
      return vscode.l10n.t('Reserved memory climbs, live memory does not');
    case 'hostOnly':
      return vscode.l10n.t('Memory outside PyTorch climbs');
    case 'pinnedSegments':
      return vscode.l10n.t('Small blocks pin large segments');
    case 'pendingFrees':
      return vscode.l10n.t('Freed blocks wait for another stream');
  }
}

function groupItem({ by, name, place, lines, bytes }: GroupNode, names: ReadonlyMap<string, string>): vscode.TreeItem {
  const label =
    name === null ? vscode.l10n.t('Not known who keeps it') : by === 'file' ? (names.get(name) ?? name) : name;
  const item = new vscode.TreeItem(label, vscode.TreeItemCollapsibleState.Expanded);
  item.id = `${by}:${place?.file ?? ''}:${place?.line ?? 0}:${name ?? ''}`;
  const count = lines.length === 1 ? vscode.l10n.t('1 line') : vscode.l10n.t('{0} lines', lines.length);
  const at = place === null ? [] : [`${basename(place.file)}:${place.line}`];
  item.description = [...at, ...(bytes === null ? [] : [byteText(bytes)]), count].join(' · ');
  item.tooltip = place === null ? (name ?? label) : `${label}\n${place.file}:${place.line}`;
  item.iconPath = new vscode.ThemeIcon(by === 'file' ? 'file-code' : 'link');
  return item;
}

function unmappedItem(files: number): vscode.TreeItem {
  const item = new vscode.TreeItem(
    files === 1
      ? vscode.l10n.t('1 recorded file is not matched')
      : vscode.l10n.t('{0} recorded files are not matched', files),
  );
  item.description = vscode.l10n.t('map folder…');
  item.tooltip = vscode.l10n.t('Recorded files that match no file of this workspace. Click to map a folder.');
  item.iconPath = new vscode.ThemeIcon('warning');
  item.command = { title: vscode.l10n.t('Map Recorded Folder…'), command: Command.mapRecordedFolder };
  return item;
}

/** No folder helps: a cell is known by its text alone. */
function unmatchedCellsItem(cells: number): vscode.TreeItem {
  const item = new vscode.TreeItem(
    cells === 1
      ? vscode.l10n.t('1 recorded notebook cell is not matched')
      : vscode.l10n.t('{0} recorded notebook cells are not matched', cells),
  );
  item.description = vscode.l10n.t('cell text has changed');
  item.tooltip = vscode.l10n.t(
    'A cell is known by its text, and the text that ran is in no cell of the notebooks here, or in several: it has changed since, or the notebook is not in this workspace.',
  );
  item.iconPath = new vscode.ThemeIcon('notebook');
  return item;
}

/** A row of a leak that the workspace ignores. */
function greyed(item: vscode.TreeItem): vscode.TreeItem {
  item.id = `ignored:${item.id ?? ''}`;
  item.resourceUri = ignoredRowUri(item.id);
  item.iconPath = new vscode.ThemeIcon('eye-closed', new vscode.ThemeColor('disabledForeground'));
  item.description = vscode.l10n.t('ignored · {0}', String(item.description ?? ''));
  item.contextValue = RowKind.ignoredLine;
  return item;
}
