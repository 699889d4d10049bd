import { EMPTY_STACK, NO_STACK, UNKNOWN_LINE } from '../../model/snapshot.js';
import type { SnapshotBuilder } from '../../model/snapshotBuilder.js';
import type { FrameId, StackId, StringId } from '../../model/units.js';
import { parseProfilerFrame } from '../profilerFrame.js';
import { tooManyMentions } from '../torch/torchValue.js';
import { CallKind, type ChromeEvents, type ChromeMemory, type ThreadCalls } from './chromeEvents.js';

const ALL_BITS = 0xffffffff;
/** Maximum number of frames of all stacks: a few nested calls and events can produce any number. */
const MAX_FRAMES = 1 << 25;

/** The file of scopes, in the style of Python's own names for code without a file. */
const SCOPE_FILE = '<record_function>';

/** A thread's calls by start, outer before inner, and the position of a walk. */
interface Walk {
  calls: ThreadCalls;
  order: Uint32Array;
  next: number;
  /** Calls that have begun and not ended, outermost first. */
  open: number[];
  /** The stack of the open calls; null after a change. */
  stack: StackId | null;
}

/**
 * Which Python functions were running on a thread; on threads without any, such as those of a trace without
 * `with_stack=True`, which operators and scopes. Ask in the order of time.
 */
export class RunningCalls {
  /** True if a function gave a stack a frame: its line is where the function begins. */
  namesFunctions = false;
  readonly hasFunctions: boolean;
  private readonly walks: Walk[];
  private readonly hasCalls: boolean;
  private readonly frameOf = [CallKind.Python, CallKind.Operator, CallKind.Scope].map(
    () => new Map<StringId, FrameId>(),
  );
  private mentioned = 0;

  constructor(
    events: ChromeEvents,
    private readonly builder: SnapshotBuilder,
    private readonly name: string,
  ) {
    this.hasCalls = events.threads.some((calls) => calls.name.length > 0);
    this.hasFunctions = events.threads.some(({ kind }) => kind.data.subarray(0, kind.length).includes(CallKind.Python));
    this.walks = events.threads.map((calls) => {
      const { start, end, kind } = calls;
      const isPython = (call: number): boolean => kind.data[call] === (CallKind.Python as number);
      const all = Uint32Array.from({ length: calls.name.length }, (_, i) => i);
      const python = all.filter(isPython);
      const order = (python.length > 0 ? python : all).sort(
        (a, b) => start.data[a] - start.data[b] || end.data[b] - end.data[a],
      );
      return { calls, order, next: 0, open: [], stack: null };
    });
  }

  /** The stack at a memory event, innermost first; `NO_STACK` in a trace without any calls. */
  stackAt({ thread, ts }: ChromeMemory): StackId {
    if (!this.hasCalls) return NO_STACK;
    const walk = this.walks[thread];
    const { start, end } = walk.calls;
    const leaveBefore = (time: number): void => {
      while (walk.open.length > 0 && end.data[walk.open[walk.open.length - 1]] < time) {
        walk.open.pop();
        walk.stack = null;
      }
    };
    while (walk.next < walk.order.length && start.data[walk.order[walk.next]] <= ts) {
      const call = walk.order[walk.next++];
      leaveBefore(start.data[call]);
      walk.open.push(call);
      walk.stack = null;
    }
    leaveBefore(ts);
    walk.stack ??= this.stackOf(walk);
    return walk.stack;
  }

  private stackOf({ open, calls: { name, kind } }: Walk): StackId {
    if (open.length === 0) return EMPTY_STACK;
    this.mentioned += open.length;
    if (this.mentioned > MAX_FRAMES) throw tooManyMentions(this.name, 'stack');
    const frames = new Uint32Array(open.length);
    for (let i = open.length - 1, at = 0; i >= 0; i--)
      frames[at++] = this.frame(name.data[open[i]], kind.data[open[i]]);
    return this.builder.stacks.intern(frames, 0, frames.length, ALL_BITS);
  }

  private frame(name: StringId, kind: CallKind): FrameId {
    let frame = this.frameOf[kind].get(name);
    if (frame === undefined) {
      const { strings, frames } = this.builder;
      const parsed = kind === CallKind.Python ? parseProfilerFrame(strings.text(name)) : null;
      if (parsed !== null) {
        frame = frames.intern(strings.internText(parsed.function), strings.internText(parsed.file), parsed.line);
        this.namesFunctions = true;
      } else {
        frame = frames.intern(name, kind === CallKind.Scope ? strings.internText(SCOPE_FILE) : 0, UNKNOWN_LINE);
      }
      this.frameOf[kind].set(name, frame);
    }
    return frame;
  }
}
