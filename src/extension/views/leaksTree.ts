import * as vscode from 'vscode';
import type { LineReport, ProcessFinding, StackReport } from '../../core/report/report.js';
import { listed, presentFinding, presentLine } from '../../core/present/presented.js';
import { staleText } from '../../core/present/stale.js';
import { deviceName } from '../../core/text/deviceName.js';
import { byteText } from '../../core/text/numberText.js';
import { tCount } from '../../core/text/translate.js';
import { Color, Command, RowKind } from '../contributions.js';
import { Listener } from '../disposer.js';
import { ignoredRowUri } from '../ignore/ignoredRows.js';
import type { EditorMarks } from '../marks/editorMarks.js';
import type { LineMark, MarkTone } from '../results/lineMarks.js';
import type { ResultsStore } from '../results/resultsStore.js';
import type { PythonFiles } from '../workspace/pythonFiles.js';
import { unmappedFiles } from '../workspace/recordedFolders.js';
import type { LeakGrouping } from './leakGrouping.js';
import {
  fileNodes,
  findingNodes,
  hasLines,
  frameNodes,
  stackNodes,
  type FileNode,
  type FindingNode,
  type LeakNode,
  type LineNode,
  type ProcessNode,
  type UnmappedNode,
} from './leakNodes.js';
import { peakItem, peakNodes, peakPartItem, peakParts, type PeakNode } from './peakRows.js';
import { fileNames, frameItem, openCommand, stackItem } from './sourceItems.js';

const ICONS: Record<MarkTone, [icon: string, color: string | null]> = {
  leak: ['arrow-up', Color.leak],
  cycle: ['sync', Color.cycle],
  growth: ['arrow-up', Color.growth],
  growing: ['watch', null],
};

/** Findings, worst first, with the lines that allocate, their stacks and frames; or the lines alone, or by file. */
export class LeaksTree extends Listener implements vscode.TreeDataProvider<LeakNode> {
  private readonly changedEmitter = new vscode.EventEmitter<void>();
  private rows: (FindingNode | FileNode | LineNode)[] = [];
  /** Rows by the lines that they show, and by their parents. */
  private parents: ReadonlyMap<LineNode, FindingNode | FileNode> = new Map();
  /** Lines that were edited since they ran, or may have been, at the last refresh. */
  private edited: readonly LineMark[] = [];
  /** Files by their names in the rows. */
  private names: ReadonlyMap<string, string> = new Map();

  readonly onDidChangeTreeData = this.changedEmitter.event;

  constructor(
    private readonly store: ResultsStore,
    private readonly files: PythonFiles,
    grouping: LeakGrouping,
    private readonly marks: EditorMarks,
  ) {
    super();
    const refresh = (): void => {
      const findings = findingNodes(store.findings, false);
      const ignored = findingNodes(store.ignoredFindings, true);
      const lines = findings.flatMap((node) => node.lines);
      const parts = grouping.current === 'file' ? fileNodes(lines) : findings;
      this.rows = [...(grouping.current === 'line' ? lines : parts), ...ignored];
      this.parents =
        grouping.current === 'line'
          ? new Map()
          : new Map(parts.flatMap((part) => part.lines.map((line) => [line, part] as const)));
      this.names = fileNames(new Set([...findings, ...ignored, ...lines].map(({ file }) => file)));
      this.changedEmitter.fire();
    };
    this.subscriptions = [
      this.changedEmitter,
      store.onDidChange(refresh),
      grouping.onDidChange(refresh),
      marks.onDidMove(() => {
        const edited = store.marks.filter((mark) => marks.isEdited(mark) || marks.isOtherVersion(mark));
        const isSame = edited.length === this.edited.length && edited.every((mark, i) => mark === this.edited[i]);
        // Rows show that a line was edited, not its new place.
        if (isSame) return;
        this.edited = edited;
        this.changedEmitter.fire();
      }),
    ];
  }

  /** The row of a statement or of a line that allocates. */
  find(file: string, line: number): FindingNode | LineNode | undefined {
    const isHere = (node: { readonly file: string; readonly line: number }): boolean =>
      node.file === file && node.line === line;
    for (const row of this.rows) if (row.kind !== 'file' && isHere(row)) return row;
    return [...this.parents.keys()].find(isHere);
  }

  getChildren(node?: LeakNode): LeakNode[] {
    switch (node?.kind) {
      case undefined:
        return [...this.rows, ...this.peaks(), ...this.processes(), ...this.unmapped()];
      case 'finding':
        return hasLines(node) ? [...node.lines] : node.lines.flatMap(stackNodes);
      case 'file':
        return [...node.lines];
      case 'peak':
        return peakParts(node);
      case 'line':
        return stackNodes(node);
      case 'stack':
        return frameNodes(node);
      default:
        return [];
    }
  }

  getParent(node: LeakNode): LeakNode | undefined {
    if (node.kind === 'line') return this.parents.get(node);
    return node.kind === 'stack' || node.kind === 'frame' || node.kind === 'peakPart' ? node.parent : undefined;
  }

  getTreeItem(node: LeakNode): vscode.TreeItem {
    switch (node.kind) {
      case 'finding':
        return this.findingItem(node);
      case 'file':
        return fileItem(node, this.names);
      case 'line':
        return this.lineItem(node);
      case 'stack':
        return stackItem(amountText(node.stack), node.stack.frames, this.files);
      case 'frame':
        return frameItem(node.parent.stack.frames[node.index], this.files);
      case 'process':
        return processItem(node);
      case 'peak':
        return peakItem(node);
      case 'peakPart':
        return peakPartItem(node);
      case 'unmapped':
        return node.of === 'files' ? unmappedItem(node.count) : unmatchedCellsItem(node.count);
    }
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

  /** Without a finding the latest snapshots’ peaks are what there is to see. */
  private peaks(): PeakNode[] {
    return this.rows.length > 0 ? [] : peakNodes(this.store.result?.report.runs ?? []);
  }

  private processes(): ProcessNode[] {
    const runs = this.store.result?.report.runs ?? [];
    return runs.flatMap(({ id, process }) =>
      process.map((finding): ProcessNode => ({ kind: 'process', runId: id, finding })),
    );
  }

  private findingItem(node: FindingNode): vscode.TreeItem {
    const { finding, ignored } = node;
    const { holder, lines } = finding.parts[0].finding;
    const told = presentFinding(finding.parts[0]);
    const { Collapsed, Expanded } = vscode.TreeItemCollapsibleState;
    // The number first, for the view is narrow.
    const item = new vscode.TreeItem(told.short, hasLines(node) ? Expanded : Collapsed);
    item.id = `finding:${finding.mapped}:${finding.line}:${finding.file}`;
    const isEdited = this.marks.isFindingEdited(finding);
    const isOther = finding.lines.some((mark) => this.marks.isOtherVersion(mark));
    const { rank } = presentLine(finding.lines[0]);
    item.description = listed(staleState(isEdited, isOther), this.placeOf(finding), holder?.name, rank);
    item.iconPath = iconOf(finding.tone, isEdited || isOther);
    item.tooltip = [...told.detail, `${finding.file}:${finding.line}`, ...unmatched(finding)].join('\n');
    const hasFix = holder?.edit != null && !isEdited;
    item.contextValue = finding.mapped ? (hasFix ? RowKind.fixableLine : RowKind.mappedLine) : RowKind.unmappedLine;
    if (finding.mapped) item.command = openCommand(finding.file, finding.line);
    return ignored ? grayed(item, lines[0]) : item;
  }

  private lineItem(node: LineNode): vscode.TreeItem {
    const { mark, ignored } = node;
    const { line } = mark.parts[0];
    const { short, detail, unfound, rank } = presentLine(mark);
    const item = new vscode.TreeItem(short, vscode.TreeItemCollapsibleState.Collapsed);
    item.id = `line:${mark.mapped}:${mark.line}:${mark.file}`;
    const isEdited = this.marks.isEdited(mark);
    const isOther = this.marks.isOtherVersion(mark);
    item.description = listed(staleState(isEdited, isOther), unfound, this.placeOf(mark), rank);
    // Below its finding, which has the icon, the width is for the text.
    if (this.parents.get(node)?.kind !== 'finding' || isEdited || isOther) {
      item.iconPath = iconOf(mark.tone, isEdited || isOther);
    }
    item.tooltip = [...detail, `${mark.file}:${mark.line} ${line.function}`, ...unmatched(mark)].join('\n');
    item.contextValue = mark.mapped ? RowKind.mappedLine : RowKind.unmappedLine;
    if (mark.mapped) item.command = openCommand(mark.file, mark.line);
    return ignored ? grayed(item, line) : item;
  }

  private placeOf({ file, line }: { readonly file: string; readonly line: number }): string {
    return `${this.names.get(file) ?? file}:${line}`;
  }
}

function unmatched({ mapped }: { readonly mapped: boolean }): string[] {
  return mapped ? [] : [vscode.l10n.t('Not matched with a file of this workspace.')];
}

/** First in a description, for the view is narrow. */
function staleState(isEdited: boolean, isOther: boolean): string | null {
  return staleText({ edited: isEdited || isOther, otherVersion: !isEdited });
}

function amountText({ liveBytes, blocks }: StackReport): string {
  return listed(byteText(liveBytes), tCount(blocks, '1 block', '{0} blocks'));
}

/** Memory without a line, below the lines. */
function processItem({ runId, finding }: ProcessNode): vscode.TreeItem {
  const item = new vscode.TreeItem(processTitle(finding.verdict));
  item.id = `process:${finding.verdict}:${finding.device ?? ''}:${runId}`;
  const device = finding.device === null ? '' : deviceName(finding.device);
  item.description = listed(byteText(finding.bytes), device);
  item.tooltip = finding.message;
  item.iconPath = new vscode.ThemeIcon('server-process');
  return item;
}

function processTitle(verdict: ProcessFinding['verdict']): string {
  return {
    reservedOnly: vscode.l10n.t('Reserved memory is far above live memory'),
    hostOnly: vscode.l10n.t('Memory outside PyTorch grows'),
    hostMemory: vscode.l10n.t('Host memory grows'),
    pinnedSegments: vscode.l10n.t('Small blocks pin large segments'),
    pendingFrees: vscode.l10n.t('Freed blocks wait for another stream'),
  }[verdict];
}

function fileItem({ name, lines, bytes }: FileNode, names: ReadonlyMap<string, string>): vscode.TreeItem {
  const item = new vscode.TreeItem(names.get(name) ?? name, vscode.TreeItemCollapsibleState.Expanded);
  item.id = `file:${name}`;
  item.description = listed(bytes === null ? null : byteText(bytes), tCount(lines.length, '1 line', '{0} lines'));
  item.tooltip = name;
  item.iconPath = new vscode.ThemeIcon('file-code');
  return item;
}

function iconOf(tone: MarkTone, isStale: boolean): vscode.ThemeIcon {
  const [icon, usual] = ICONS[tone];
  const color = isStale ? 'disabledForeground' : usual;
  return new vscode.ThemeIcon(icon, color === null ? undefined : new vscode.ThemeColor(color));
}

function unmappedItem(files: number): vscode.TreeItem {
  const item = new vscode.TreeItem(
    tCount(files, '1 recorded file is not matched', '{0} recorded files are not matched'),
  );
  item.description = vscode.l10n.t('map folder…');
  item.tooltip = vscode.l10n.t('Recorded files that match no file of this workspace. Click to map a folder.');
  item.iconPath = new vscode.ThemeIcon('warning');
  item.command = { title: vscode.l10n.t('Map Recorded Folder…'), command: Command.mapRecordedFolder };
  return item;
}

/** Cells cannot be mapped: only their text identifies them. */
function unmatchedCellsItem(cells: number): vscode.TreeItem {
  const item = new vscode.TreeItem(
    tCount(cells, '1 recorded notebook cell is not matched', '{0} recorded notebook cells are not matched'),
  );
  item.description = vscode.l10n.t('cell text has changed');
  item.tooltip = vscode.l10n.t(
    'A cell is identified by its text. The text that ran is in no cell here, or in several: it was edited, or the notebook is not in this workspace.',
  );
  item.iconPath = new vscode.ThemeIcon('notebook');
  return item;
}

/** A row of a leak that the workspace ignores. */
function grayed(item: vscode.TreeItem, { inBaseline }: LineReport): vscode.TreeItem {
  item.id = `ignored:${item.id ?? ''}`;
  item.resourceUri = ignoredRowUri(item.id);
  item.iconPath = new vscode.ThemeIcon('eye-closed', new vscode.ThemeColor('disabledForeground'));
  item.description = listed(
    inBaseline ? vscode.l10n.t('baseline') : vscode.l10n.t('ignored'),
    String(item.description),
  );
  item.contextValue = RowKind.ignoredLine;
  return item;
}
