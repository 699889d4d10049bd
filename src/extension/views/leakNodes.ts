/** The rows of the Leaks view. */
import { groupBy } from '../../core/maps.js';
import type { ProcessFinding, StackReport } from '../../core/report/report.js';
import { type FindingMark, holdsOthers } from '../results/findingMarks.js';
import type { PeakNode, PeakPartNode } from './peakRows.js';
import { type LineMark, weightOf } from '../results/lineMarks.js';

export const GROUPINGS = ['holder', 'line', 'file'] as const;
/** Grouping: by the statement that holds the memory, by line, or by file. */
export type Grouping = (typeof GROUPINGS)[number];

/** A finding, with the lines that allocate below it. */
export interface FindingNode {
  readonly kind: 'finding';
  readonly file: string;
  readonly line: number;
  readonly finding: FindingMark;
  readonly lines: readonly LineNode[];
  /** The workspace ignores it. */
  readonly ignored: boolean;
}

/** Lines of one file. */
export interface FileNode {
  readonly kind: 'file';
  readonly name: string;
  readonly lines: readonly LineNode[];
  /** Bytes of all lines; null if they are of several runs, whose bytes are never added up. */
  readonly bytes: number | null;
}

export interface LineNode {
  readonly kind: 'line';
  readonly file: string;
  readonly line: number;
  readonly mark: LineMark;
  /** The workspace ignores it. */
  readonly ignored: boolean;
}

export interface StackNode {
  readonly kind: 'stack';
  readonly parent: LineNode;
  readonly stack: StackReport;
  readonly index: number;
  /** Run of the stack, if several runs have the line. */
  readonly runId: string;
}

interface FrameNode {
  readonly kind: 'frame';
  readonly parent: StackNode;
  readonly index: number;
}

/** Recorded files without a match in the workspace. */
export interface UnmappedNode {
  readonly kind: 'unmapped';
  /** Files, which a folder can be mapped for, or cells of notebooks. */
  readonly of: 'files' | 'cells';
  readonly count: number;
}

/** Findings on memory without a line. */
export interface ProcessNode {
  readonly kind: 'process';
  readonly runId: string;
  readonly finding: ProcessFinding;
}

export type LeakNode =
  | FindingNode
  | FileNode
  | ProcessNode
  | LineNode
  | StackNode
  | FrameNode
  | UnmappedNode
  | PeakNode
  | PeakPartNode;

export function stackNodes(line: LineNode): StackNode[] {
  return line.mark.parts
    .flatMap(({ run, line: { stacks } }) => stacks.map((stack) => ({ runId: run.id, stack })))
    .map(({ runId, stack }, index) => ({ kind: 'stack', parent: line, stack, index, runId }));
}

export function frameNodes(stack: StackNode): FrameNode[] {
  return stack.stack.frames.map((_, index) => ({ kind: 'frame', parent: stack, index }));
}

/** A row for each finding; one that holds no other line's memory has the stacks of its line below it. */
export function findingNodes(findings: readonly FindingMark[], ignored: boolean): FindingNode[] {
  return findings.map((finding) => ({
    kind: 'finding',
    file: finding.file,
    line: finding.line,
    finding,
    lines: finding.lines.map((mark) => ({ kind: 'line', file: mark.file, line: mark.line, mark, ignored })),
    ignored,
  }));
}

/** True if the lines below a finding add information to its row. */
export function hasLines({ finding }: FindingNode): boolean {
  return holdsOthers(finding);
}

/** The files of these rows, in the order of their first rows. */
export function fileNodes(lines: readonly LineNode[]): FileNode[] {
  return [...groupBy(lines, ({ file, mark }) => `${mark.mapped}:${file}`).values()].map((members) => {
    const runs = new Set(members.map(({ mark }) => mark.parts[0].run));
    return {
      kind: 'file',
      name: members[0].file,
      lines: members,
      bytes: runs.size === 1 ? members.reduce((sum, { mark }) => sum + weightOf(mark.parts[0].line), 0) : null,
    };
  });
}
