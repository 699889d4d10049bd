import * as vscode from 'vscode';
import { comparedBucketParts } from '../../core/report/bucketParts.js';
import { bucketText, otherLinesText } from '../../core/present/words.js';
import type { CompareCell, CompareLine } from '../../core/report/report.js';
import { Color, RowKind } from '../contributions.js';
import { Listener } from '../disposer.js';
import type { ResultsStore } from '../results/resultsStore.js';
import { byteText, signedByteText } from '../../core/text/numberText.js';
import { nameAndLine } from '../../core/text/pathText.js';
import type { PythonFiles } from '../workspace/pythonFiles.js';
import { frameItem, openCommand, stackItem } from './sourceItems.js';

interface CompareLineNode {
  readonly kind: 'line';
  readonly line: CompareLine;
}
interface CompareStackNode {
  readonly kind: 'stack';
  readonly parent: CompareLineNode;
  readonly stack: CompareLine['stacks'][number];
}
interface CompareFrameNode {
  readonly kind: 'frame';
  readonly parent: CompareStackNode;
  readonly index: number;
}
interface CompareBucketNode {
  readonly kind: 'bucket';
  readonly name: string;
  readonly cell: CompareCell;
}
export type CompareNode = CompareLineNode | CompareStackNode | CompareFrameNode | CompareBucketNode;

/** Growth per line between two snapshots, the largest change first, with stacks and frames. */
export class CompareTree extends Listener implements vscode.TreeDataProvider<CompareNode> {
  private readonly changedEmitter = new vscode.EventEmitter<void>();
  private lines: CompareLineNode[] = [];

  readonly onDidChangeTreeData = this.changedEmitter.event;

  constructor(
    private readonly store: ResultsStore,
    private readonly files: PythonFiles,
  ) {
    super();
    this.subscriptions = [
      this.changedEmitter,
      store.onDidChange(() => {
        this.lines = (store.comparison?.lines ?? []).map((line) => ({ kind: 'line', line }));
        this.changedEmitter.fire();
      }),
    ];
  }

  find(file: string, line: number): CompareNode | undefined {
    return this.lines.find((node) => node.line.file === file && node.line.line === line);
  }

  getChildren(node?: CompareNode): CompareNode[] {
    switch (node?.kind) {
      case undefined:
        return [...this.lines, ...this.buckets()];
      case 'line':
        return node.line.stacks
          .filter(({ growthBytes }) => growthBytes !== 0)
          .map((stack) => ({ kind: 'stack', parent: node, stack }));
      case 'stack':
        return node.stack.frames.map((_, index) => ({ kind: 'frame', parent: node, index }));
      default:
        return [];
    }
  }

  getParent(node: CompareNode): CompareNode | undefined {
    return node.kind === 'stack' || node.kind === 'frame' ? node.parent : undefined;
  }

  getTreeItem(node: CompareNode): vscode.TreeItem {
    switch (node.kind) {
      case 'line':
        return lineItem(node.line);
      case 'stack':
        return stackItem(signedByteText(node.stack.growthBytes), node.stack.frames, this.files, cellText(node.stack));
      case 'frame':
        return frameItem(node.parent.stack.frames[node.index], this.files);
      case 'bucket':
        return bucketItem(node);
    }
  }

  private buckets(): CompareBucketNode[] {
    const report = this.store.comparison?.report;
    if (report === undefined) return [];
    const { otherLines } = report;
    return [
      { name: otherLinesText(otherLines.lines), cell: otherLines },
      ...comparedBucketParts(report).map(([bucket, cell]) => ({ name: bucketText(bucket), cell })),
    ]
      .filter(({ cell }) => cell.growthBytes !== 0)
      .map((part): CompareBucketNode => ({ kind: 'bucket', ...part }));
  }
}

function lineItem(line: CompareLine): vscode.TreeItem {
  const item = new vscode.TreeItem(signedByteText(line.growthBytes), vscode.TreeItemCollapsibleState.Collapsed);
  item.id = `${line.mapped}:${line.line}:${line.file}`;
  item.description = `${nameAndLine(line)} · ${byteText(line.bytesA)} → ${byteText(line.bytesB)}`;
  item.tooltip = [`${line.file}:${line.line} ${line.function}`, cellText(line)].join('\n');
  item.iconPath = growthIcon(line.growthBytes);
  item.contextValue = line.mapped ? RowKind.mappedLine : RowKind.unmappedLine;
  if (line.mapped) item.command = openCommand(line.file, line.line);
  return item;
}

function bucketItem({ name, cell }: CompareBucketNode): vscode.TreeItem {
  const item = new vscode.TreeItem(signedByteText(cell.growthBytes));
  item.description = `${name} · ${byteText(cell.bytesA)} → ${byteText(cell.bytesB)}`;
  item.tooltip = cellText(cell);
  item.iconPath = growthIcon(cell.growthBytes);
  return item;
}

function growthIcon(growth: number): vscode.ThemeIcon {
  return growth > 0
    ? new vscode.ThemeIcon('arrow-up', new vscode.ThemeColor(Color.growth))
    : new vscode.ThemeIcon('arrow-down', new vscode.ThemeColor(Color.shrink));
}

/** Blocks before and after, and which of them moved where that is known. */
function cellText({ blocksA, blocksB, flow }: CompareCell): string {
  const blocks = vscode.l10n.t('{0} → {1} blocks', blocksA, blocksB);
  if (flow === null) return blocks;
  const moved = vscode.l10n.t(
    '{0} survived, {1} are new, {2} were freed',
    byteText(flow.survived.bytes),
    byteText(flow.allocated.bytes),
    byteText(flow.freed.bytes),
  );
  return `${blocks}\n${moved}`;
}
