import type { Span } from '../python/ast.js';
import type { PythonModule } from '../python/pythonModule.js';
import type { FlowNode, LoopRound, ItemLimit } from './values/flowNode.js';
import type { Container, Instance, Place, PyObject, Scope, Value } from './values/objects.js';

/**
 * How a statement retains a value:
 * - `put`: in a container; `metric`: in a metric of a library, until its `reset()`
 * - `chain`: in a variable whose new value needs the graph of the old one
 * - `hook`: a function that is registered repeatedly; `cache`: results of a cached function
 * - `selfHook`: a function that is registered on a value of the step, and refers to it
 * - `error`: an exception in a container, whose traceback holds frames
 * - `doubleBackward`: gradients with a graph; `context`: an output on an autograd function's `ctx`
 * - `autocast`: the cache of an autocast block that does not end
 * - `cycle`: objects that refer to each other; `grown`: a tensor that each step extends
 */
export type HoldingKind =
  | 'put'
  | 'metric'
  | 'chain'
  | 'hook'
  | 'selfHook'
  | 'cache'
  | 'error'
  | 'doubleBackward'
  | 'context'
  | 'autocast'
  | 'cycle'
  | 'grown';

/** What limits a container: its own length, keys that are remainders, a test around the statement, or a cache size. */
export type LimitKind = 'length' | 'ring' | 'test' | 'cache';

/** A statement that may hold memory, met by the interpreter. */
export interface Holding {
  readonly kind: HoldingKind;
  readonly place: Place;
  /** The holder, by its name in the source. */
  readonly holder: string;
  /** The held value, by its name in the source; empty without one. */
  readonly held: string;
  /** The expression that is held. */
  readonly heldSpan: Span | null;
  readonly value: Value;
  readonly container: Container | Instance | null;
  /** The attribute that names the container. */
  readonly attribute: string | null;
  /** Loops that ran. */
  readonly loops: readonly LoopRound[];
  /** Maximum number of items of the holder; null if the source does not show it. */
  readonly max: ItemLimit | null;
  /** The kind of the limit. */
  readonly maxBy: LimitKind | null;
  /** The key of the stored value; null if each iteration adds one. */
  readonly key: Value | null;
  /** True if the receiver is not known to be a container. */
  readonly guessed: boolean;
}

/** A variable's new value. */
export interface Assigned {
  readonly place: Place;
  readonly target: string;
  /** The variables that it is one of; null for an attribute or an item. */
  readonly scope: Scope | null;
  readonly node: FlowNode;
  /** The former value. */
  readonly previous: FlowNode | null;
  /** The statement computes it from the former value. */
  readonly readsItself: boolean;
  /** The new value is the old one with more behind it. */
  readonly concatenates: boolean;
  readonly added: Value | null;
  readonly addedSpan: Span | null;
  readonly addedText: string;
  readonly loops: readonly LoopRound[];
}

/** One object came to refer to another. */
export interface Reference {
  readonly from: PyObject;
  readonly to: PyObject;
  readonly place: Place;
  readonly text: string;
}

/** A frame of the stack whose file is available, outermost first. */
export interface PathFrame {
  readonly module: PythonModule;
  readonly line: number;
  readonly name: string;
  /** Frames of libraries stand between it and the frame outside it, other than those that only call a module. */
  readonly throughLibrary: boolean;
}
