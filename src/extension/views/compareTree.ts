import * as vscode from 'vscode';
import { comparedBucketParts } from '../../core/report/bucketParts.js';
import { bucketText, otherLinesText } from '../../core/present/words.js';
import type { CompareCell, CompareLine } from '../../core/report/report.js';
import { Color, RowKind } from '../contributions.js';
import type { ResultsStore } from '../results/resultsStore.js';
import { byteText, signedByteText } from '../../core/text/numberText.js';
import { nameAndLine } from '../../core/text/pathText.js';
import type { PythonFiles } from '../workspace/pythonFiles.js';
import { itemOf, openCommand, rowOf, RowTree, stackRow, type Row } from './rows.js';

/** Growth per line between two snapshots, the largest change first, with stacks and frames. */
export class CompareTree extends RowTree {
  private lines: readonly Row[] = [];

  constructor(
    private readonly store: ResultsStore,
    private readonly files: PythonFiles,
  ) {
    super();
    this.subscriptions = [
      this.changedEmitter,
      store.onDidChange(() => {
        this.lines = (store.comparison?.lines ?? []).map((line) => this.lineRow(line));
        this.changedEmitter.fire();
      }),
    ];
  }

  find(file: string, line: number): Row | undefined {
    return this.lines.find((row) => row.file === file && row.line === line);
  }

  protected override roots(): Row[] {
    const report = this.store.comparison?.report;
    if (report === undefined) return [...this.lines];
    const { otherLines } = report;
    const sums = [
      [otherLinesText(otherLines.lines), otherLines] as const,
      ...comparedBucketParts(report).map(([bucket, cell]) => [bucketText(bucket), cell] as const),
    ];
    const moved = sums.filter(([, { growthBytes }]) => growthBytes !== 0);
    return [...this.lines, ...moved.map(([name, cell]) => rowOf(null, () => cellItem(cell, null, name)))];
  }

  private lineRow(line: CompareLine): Row {
    return rowOf(
      null,
      () =>
        Object.assign(cellItem(line, false, nameAndLine(line), `${line.file}:${line.line} ${line.function}`), {
          id: `${line.mapped}:${line.line}:${line.file}`,
          contextValue: line.mapped ? RowKind.mappedLine : RowKind.unmappedLine,
          ...(line.mapped && { command: openCommand(line.file, line.line) }),
        }),
      (row) =>
        line.stacks
          .filter(({ growthBytes }) => growthBytes !== 0)
          .map((stack) => stackRow(row, signedByteText(stack.growthBytes), stack.frames, this.files, cellText(stack))),
      { file: line.file, line: line.line },
    );
  }
}

function cellItem(cell: CompareCell, isOpen: boolean | null, name: string, ...facts: string[]): vscode.TreeItem {
  const { growthBytes, bytesA, bytesB } = cell;
  return itemOf(signedByteText(growthBytes), isOpen, {
    description: `${name} · ${byteText(bytesA)} → ${byteText(bytesB)}`,
    tooltip: [...facts, cellText(cell)].join('\n'),
    ...(growthBytes > 0 ? { icon: 'arrow-up', color: Color.growth } : { icon: 'arrow-down', color: Color.shrink }),
  });
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
