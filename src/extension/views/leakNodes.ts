/** The rows of the Leaks view. */
import type { ProcessFinding, StackReport } from '../../core/report/report.js';
import type { LineMark } from '../results/lineMarks.js';

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
  readonly files: number;
}

/** What a run's report says of memory that no line answers for. */
export interface ProcessNode {
  readonly kind: 'process';
  readonly runId: string;
  readonly finding: ProcessFinding;
}

export type LeakNode = ProcessNode | LineNode | StackNode | FrameNode | UnmappedNode;

export function stackNodes(line: LineNode): StackNode[] {
  return line.mark.parts
    .flatMap(({ run, line: { stacks } }) => stacks.map((stack) => ({ runId: run.id, stack })))
    .map(({ runId, stack }, index) => ({ kind: 'stack', parent: line, stack, index, runId }));
}

export function frameNodes(stack: StackNode): FrameNode[] {
  return stack.stack.frames.map((_, index) => ({ kind: 'frame', parent: stack, index }));
}
