import type { Argument, ClassDef, FunctionDef, Lambda, Span } from '../../python/ast.js';
import type { PythonModule } from '../../python/pythonModule.js';
import { FlowNode, larger } from './flowNode.js';
import { knownOfEither, type Known, type Room } from './known.js';
import type { LoopRound } from './loopRound.js';

/** A place in the source. */
export interface Place {
  readonly module: PythonModule;
  readonly span: Span;
}

/**
 * How a statement releases what a container holds: it calls `clear()`, takes items out, puts another object in its place,
 * cuts it down to a part, or deletes items. `remake`: each round of a loop makes the container anew.
 */
export type ReleaseKind = 'clear' | 'take' | 'replace' | 'cut' | 'delete' | 'remake';

/** A place as one text. */
export function placeKey({ module, span }: Place): string {
  return `${module.file}:${span.from}`;
}

/** What an expression may be. */
export interface Value {
  readonly node: FlowNode;
  /** The objects that it may be, as far as they are known. */
  readonly things: readonly Thing[];
  /** The parts of a tuple that was written out. */
  readonly items: readonly Value[] | null;
  readonly known: Known | null;
  /** What has the same elements, or keys, in the same order; null where that is this value only. */
  readonly source: object | null;
}

export type Thing = Container | Instance | FunctionThing | ClassThing | Library | Hook | ModuleThing;

/** What a call is given. */
export interface Given {
  readonly name: string | null;
  readonly star: Argument['star'];
  readonly value: Value;
  readonly span: Span;
}

/** An object whose attributes or items may be replaced. */
interface Holder {
  readonly node: FlowNode;
  /** The loops that ran when it was made; none for what was there before. */
  born: readonly LoopRound[];
  /** Attributes, or items under literal keys. */
  readonly attrs: Map<string, Value>;
}

export interface Container extends Holder {
  readonly kind: 'container';
  readonly type: 'list' | 'dict' | 'set' | 'queue';
  /** It lets go of old items by itself. */
  readonly bounded: boolean;
  /** Items that it holds at most; null where the source does not say it. */
  most: Room | null;
  /** All that was ever put in. */
  readonly elements: Thing[];
  /** When something took items out. */
  readonly cleared: Clearing[];
}

export interface Clearing {
  readonly place: Place;
  readonly kind: ReleaseKind;
  readonly loops: readonly LoopRound[];
  /** It may not run in each round of these. */
  readonly isConditional: boolean;
  /** It ran after the watched line had. */
  readonly isLater: boolean;
  /** It let go of all items, or of as many as are too many. */
  readonly isThorough: boolean;
  /** Items that are left at most. */
  readonly most: Room | null;
}

export interface Instance extends Holder {
  readonly kind: 'instance';
  /** Null for an object of a library's, or of no known class. */
  readonly cls: ClassThing | null;
  /** The library's class, or empty. */
  readonly library: string;
}

export interface FunctionThing {
  readonly kind: 'function';
  readonly node: FlowNode;
  readonly def: FunctionDef | Lambda;
  readonly module: PythonModule;
  /** The variables around it. */
  readonly scope: Scope;
  /** Values of parameters that are not given, made when the function was. */
  readonly defaults: ReadonlyMap<string, Value>;
  readonly owner: ClassThing | null;
  readonly self: Value | null;
  /** Arguments that a `functools.partial` gives in advance. */
  readonly partial: readonly Given[];
}

export interface ClassThing {
  readonly kind: 'class';
  readonly node: FlowNode;
  readonly def: ClassDef;
  readonly module: PythonModule;
  readonly scope: Scope;
  /** Class attributes. */
  readonly attrs: Map<string, Value>;
  readonly bases: readonly (ClassThing | Library)[];
}

/** Something imported that is no file of the workspace, by its dotted name; or a builtin. */
export interface Library {
  readonly kind: 'library';
  readonly name: string;
}

export interface ModuleThing {
  readonly kind: 'module';
  readonly scope: Scope;
}

/** What registering a hook gave. */
export interface Hook {
  readonly kind: 'hook';
  removed: boolean;
}

/** The variables of a function, or of a module. */
export class Scope {
  names = new Map<string, Value>();
  readonly globals = new Set<string>();
  readonly nonlocals = new Set<string>();

  constructor(
    readonly module: PythonModule,
    /** Around a nested function; null for a module. */
    readonly outer: Scope | null,
  ) {}

  get top(): Scope {
    return this.outer?.top ?? this;
  }

  /** The scope in which a name is assigned. */
  scopeOf(name: string): Scope {
    if (this.globals.has(name)) return this.top;
    if (this.nonlocals.has(name)) {
      for (let at = this.outer; at !== null; at = at.outer) if (at.names.has(name)) return at;
    }
    return this;
  }

  lookup(name: string): Value | undefined {
    if (this.globals.has(name)) return this.top.names.get(name);
    return this.names.get(name) ?? this.outer?.lookup(name);
  }
}

export function valueOf(node: FlowNode, things: readonly Thing[] = [], items: readonly Value[] | null = null): Value {
  return { node, things, items, known: null, source: null };
}

/** A number, a text: keeps nothing. */
export function plainValue(known: Known | null = null): Value {
  return { ...valueOf(new FlowNode(0)), known };
}

export function newContainer(
  type: Container['type'],
  born: readonly LoopRound[],
  bounded = false,
): { value: Value; container: Container } {
  const node = new FlowNode(0);
  const container: Container = {
    kind: 'container',
    type,
    bounded,
    most: null,
    node,
    born,
    attrs: new Map(),
    elements: [],
    cleared: [],
  };
  node.content = () => nodesOf(container.attrs);
  return { value: valueOf(node, [container]), container };
}

export function newInstance(
  cls: ClassThing | null,
  library: string,
  born: readonly LoopRound[],
): { value: Value; instance: Instance } {
  const node = new FlowNode(0);
  node.isObject = true;
  const instance: Instance = { kind: 'instance', cls, library, node, born, attrs: new Map() };
  node.content = () => nodesOf(instance.attrs);
  return { value: valueOf(node, [instance]), instance };
}

/** Either of two values. */
export function eitherOf(a: Value | undefined, b: Value | undefined): Value {
  if (a === undefined || b === undefined || a.node === b.node) return a ?? b ?? plainValue();
  const node = new FlowNode(a.node.grad > b.node.grad ? a.node.grad : b.node.grad, a.node.isTensor && b.node.isTensor);
  node.same.push(a.node, b.node);
  const things = [...new Set([...a.things, ...b.things])].slice(0, MOST_THINGS);
  const items =
    a.items !== null && b.items !== null && a.items.length === b.items.length
      ? a.items.map((item, i) => eitherOf(item, b.items?.[i]))
      : null;
  return { ...valueOf(node, things, items), known: knownOfEither(a.known, b.known) };
}

/** One value may be so many objects at most. */
const MOST_THINGS = 6;

function* nodesOf(attrs: ReadonlyMap<string, Value>): Iterable<FlowNode> {
  for (const { node } of attrs.values()) yield node;
}

export function pairOf(first: Value, second: Value): Value {
  const node = new FlowNode(larger(first.node.grad, second.node.grad));
  node.holds.push(first.node, second.node);
  return valueOf(node, [], [first, second]);
}

/** The name of the library class that stands for caught exceptions. */
export const ERROR = 'exception';
