import type { PickleErrors } from './pickleErrors.js';
import type { PickleSink } from './pickleSink.js';
import { NONE_REF, type Ref, ValueStack } from './values.js';

/** What opcodes work on, between two calls of the machine: its values, the marks among them, and how far it has come. */
export class Operands {
  readonly stack = new ValueStack();
  /** Places of the stack at which open containers begin, outermost first. */
  readonly marks: number[] = [];
  /** Values on the stack. */
  depth = 0;
  /** True once PROTO was met. */
  started = false;
  /** True once STOP was met; `result` is the value on top then. */
  done = false;
  result: Ref = NONE_REF;
  /** Bytes that an opcode needs which did not lie whole in the buffer; 0 if any more will do. */
  wanted = 0;

  constructor(
    private readonly sink: PickleSink,
    private readonly errors: PickleErrors,
  ) {}

  popMark(sp: number, offset: number): number {
    const mark = this.marks.pop();
    if (mark === undefined || mark > sp) throw this.errors.damaged('noContainer', offset);
    return mark;
  }

  setItems(dict: Ref, from: number, to: number, offset: number): Ref {
    if ((to - from) % 2 !== 0) throw this.errors.damaged('keyWithoutValue', offset);
    return this.sink.setItems(dict, this.stack, from, to);
  }
}
