/** The rows of the Leaks view. */
import type { ProcessFinding, StackReport } from '../../core/report/report.js';
import type { FindingMark } from '../results/findingMarks.js';
import type { LineMark } from '../results/lineMarks.js';

export const GROUPINGS = ['holder', 'line', 'file'] as const;
/** How rows are gathered: by the statement that holds the memory, not at all, or by file. */
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
  /** Run that the stack is of, where several have something to say of the line. */
  readonly runId: string;
}

export interface FrameNode {
  readonly kind: 'frame';
  readonly parent: StackNode;
  readonly index: number;
}

/** Recorded files that nothing in the workspace answers to. */
export interface UnmappedNode {
  readonly kind: 'unmapped';
  /** Files, which a folder can be mapped for, or cells of notebooks. */
  readonly of: 'files' | 'cells';
  readonly count: number;
}

/** What a run's report says of memory that no line answers for. */
export interface ProcessNode {
  readonly kind: 'process';
  readonly runId: string;
  readonly finding: ProcessFinding;
}

export type LeakNode = FindingNode | FileNode | ProcessNode | LineNode | StackNode | FrameNode | UnmappedNode;

export function stackNodes(line: LineNode): StackNode[] {
  return line.mark.parts
    .flatMap(({ run, line: { stacks } }) => stacks.map((stack) => ({ runId: run.id, stack })))
    .map(({ runId, stack }, index) => ({ kind: 'stack', parent: line, stack, index, runId }));
}

export function frameNodes(stack: StackNode): FrameNode[] {
  return stack.stack.frames.map((_, index) => ({ kind: 'frame', parent: stack, index }));
}
