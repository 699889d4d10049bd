import type { PickleSink } from '../../pickle/pickleSink.js';
import { EMPTY_DICT_REF, EMPTY_LIST_REF, Kind, makeRef, NONE_REF, type Ref, ValueStack } from '../../pickle/values.js';
import type { JsonHandler, NumberKind } from './jsonMachine.js';

/** Items per call, as in CPython's pickler: longer containers have several parts. */
const BATCH = 1000;
/** JSON has no tuples: a short list of whole numbers is one. */
const MAX_TUPLE = 4;

interface Open {
  /** Place of the first item that the sink has not got yet. */
  mark: number;
  value: Ref;
  isObject: boolean;
  onlyWholeNumbers: boolean;
}

/** Drives the sink of the pickle machine, so that equal content gives equal models. */
export class JsonToSink implements JsonHandler {
  /** The top value, once there is one. */
  result: Ref = NONE_REF;

  private readonly stack = new ValueStack();
  private depth = 0;
  private readonly open: Open[] = [];

  constructor(private readonly sink: PickleSink) {}

  begin(isObject: boolean): void {
    const value = isObject ? EMPTY_DICT_REF : EMPTY_LIST_REF;
    this.open.push({ mark: this.depth, value, isObject, onlyWholeNumbers: !isObject });
  }

  key(bytes: Uint8Array, from: number, to: number): void {
    this.push(makeRef(Kind.Text, this.sink.text(bytes, from, to)), 0, 0);
  }

  text(bytes: Uint8Array, from: number, to: number): void {
    this.value(makeRef(Kind.Text, this.sink.text(bytes, from, to)), 0, 0);
  }

  number(kind: NumberKind, low: number, high: number): void {
    this.value(makeRef(kind, 0), low, high);
  }

  literal(value: boolean | null): void {
    this.value(value === null ? NONE_REF : makeRef(Kind.Bool, value ? 1 : 0), 0, 0);
  }

  end(): void {
    const container = this.open.pop();
    if (container === undefined) return;
    const { mark, isObject } = container;
    const items = this.depth - mark;
    let { value } = container;
    if (!isObject && container.onlyWholeNumbers && items > 0 && items <= MAX_TUPLE && value === EMPTY_LIST_REF) {
      value = this.sink.tuple(this.stack, mark, this.depth);
    } else if (items > 0) value = this.flush(container);
    this.depth = mark;
    this.value(value, 0, 0);
  }

  private flush(container: Open): Ref {
    const { sink, stack } = this;
    return container.isObject
      ? sink.setItems(container.value, stack, container.mark, this.depth)
      : sink.appendItems(container.value, stack, container.mark, this.depth);
  }

  private value(ref: Ref, low: number, high: number): void {
    const container = this.open.at(-1);
    if (container === undefined) {
      this.result = ref;
      return;
    }
    this.push(ref, low, high);
    const kind = ref >>> 28;
    if (kind !== Kind.Int && kind !== Kind.Uint) container.onlyWholeNumbers = false;
    if (this.depth - container.mark < (container.isObject ? BATCH * 2 : BATCH)) return;
    container.value = this.flush(container);
    this.depth = container.mark;
  }

  private push(ref: Ref, low: number, high: number): void {
    const { stack } = this;
    // The maximum nesting of JSON, times the pending values of a container.
    if (this.depth === stack.ref.length) stack.grow();
    stack.ref[this.depth] = ref;
    stack.low[this.depth] = low;
    stack.high[this.depth++] = high;
  }
}
