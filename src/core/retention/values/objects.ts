import type { Argument, ClassDef, FunctionDef, Lambda, Span } from '../../python/ast.js';
import type { PythonModule } from '../../python/pythonModule.js';
import { madeBy } from '../operations.js';
import {
  FlowNode,
  type Known,
  type LoopRound,
  type ItemLimit,
  type Sureness,
  knownOfEither,
  larger,
} from './flowNode.js';
import { dataHeld, graphHeld, type Walker } from './reachability.js';

/** A place in the source. */
export interface Place {
  readonly module: PythonModule;
  readonly span: Span;
}

/**
 * How a statement releases the items of a container: `clear()`, removal, replacement, a slice, or deletion. `remake`:
 * each iteration of a loop creates the container again.
 */
export type ReleaseKind = 'clear' | 'take' | 'replace' | 'cut' | 'delete' | 'remake';

/** A place as one text. */
export function placeKey({ module, span }: Place): string {
  return `${module.file}:${span.from}`;
}

/** Possible values of an expression. */
export interface Value {
  readonly node: FlowNode;
  /** The objects that it may be, as far as they are known. */
  readonly objects: readonly PyObject[];
  /** The parts of a tuple that was written out. */
  readonly items: readonly Value[] | null;
  readonly known: Known | null;
  /** The origin of equal elements or keys in equal order; null for this value only. */
  readonly source: object | null;
}

export type PyObject = Container | Instance | FunctionObject | ClassObject | Library | Hook | ModuleObject;

/** The arguments of a call. */
export interface ArgumentValue {
  readonly name: string | null;
  readonly star: Argument['star'];
  readonly value: Value;
  readonly span: Span;
}

/** An object whose attributes or items may be replaced. */
interface Holder {
  readonly node: FlowNode;
  /** The loops around its creation; none for older ones. */
  madeIn: readonly LoopRound[];
  /** Attributes, or items under literal keys. */
  readonly attrs: Map<string, Value>;
}

export interface Container extends Holder {
  readonly kind: 'container';
  readonly type: 'list' | 'dict' | 'set' | 'queue' | 'metric';
  /** True if the container drops old items. */
  readonly bounded: boolean;
  /** Maximum number of items; null if the source does not show it. */
  max: ItemLimit | null;
  /** All that was ever put in. */
  readonly elements: PyObject[];
  /** When something took items out. */
  readonly removals: Removal[];
  /** What first held it. */
  home: Home | null;
  /** The parameter whose default it is: the same object in each call. */
  defaultOf: string | null;
}

/** Where a container has a name that all of the program can use. */
export interface Home {
  /** In the source, as `self.rows`. */
  readonly holder: string;
  readonly attribute: string | null;
}

export interface Removal {
  readonly place: Place;
  readonly kind: ReleaseKind;
  readonly loops: readonly LoopRound[];
  /** True if it may not run in each iteration of `loops`. */
  readonly isConditional: boolean;
  /** True if it ran after the watched line. */
  readonly isLater: boolean;
  /** True if it releases all items, or all above a limit. */
  readonly isThorough: boolean;
  /** Items that are left at most. */
  readonly max: ItemLimit | null;
}

export interface Instance extends Holder {
  readonly kind: 'instance';
  /** Null for an object of a library's, or of no known class. */
  readonly cls: ClassObject | null;
  /** The library's class, or empty. */
  readonly library: string;
  /** The items of an object whose class is derived from a container; null for others. */
  readonly items: Container | null;
}

export interface FunctionObject {
  readonly kind: 'function';
  readonly node: FlowNode;
  readonly def: FunctionDef | Lambda;
  readonly module: PythonModule;
  /** The variables around it. */
  readonly scope: Scope;
  /** Values of parameters that are not given, made when the function was. */
  readonly defaults: ReadonlyMap<string, Value>;
  readonly owner: ClassObject | null;
  readonly self: Value | null;
  /** Arguments that a `functools.partial` gives in advance. */
  readonly partial: readonly ArgumentValue[];
}

export interface ClassObject {
  readonly kind: 'class';
  readonly node: FlowNode;
  readonly def: ClassDef;
  readonly module: PythonModule;
  readonly scope: Scope;
  /** Class attributes. */
  readonly attrs: Map<string, Value>;
  readonly bases: readonly (ClassObject | Library)[];
}

/** Something imported that is not a file of the workspace, by its dotted name; or a builtin. */
export interface Library {
  readonly kind: 'library';
  readonly name: string;
}

interface ModuleObject {
  readonly kind: 'module';
  readonly scope: Scope;
}

/** The result of registering a hook. */
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

export function valueOf(
  node: FlowNode,
  objects: readonly PyObject[] = [],
  items: readonly Value[] | null = null,
): Value {
  return { node, objects, items, known: null, source: null };
}

/** A number or string: holds nothing. */
export function plainValue(known: Known | null = null): Value {
  return { ...valueOf(new FlowNode(0)), known };
}

export function newContainer(
  type: Container['type'],
  madeIn: readonly LoopRound[],
  bounded = false,
  node = new FlowNode(0),
): { value: Value; container: Container } {
  const container: Container = {
    kind: 'container',
    type,
    bounded,
    max: null,
    node,
    madeIn,
    attrs: new Map(),
    elements: [],
    removals: [],
    home: null,
    defaultOf: null,
  };
  node.content = () => nodesOf(container.attrs);
  return { value: valueOf(node, [container]), container };
}

/** @param type of the container that an object of a library is; null if it is none */
export function newInstance(
  cls: ClassObject | null,
  library: string,
  madeIn: readonly LoopRound[],
  type: Container['type'] | null = cls === null ? null : containerOf(cls),
): { value: Value; instance: Instance } {
  const node = new FlowNode(0);
  node.isObject = true;
  const items = type === null ? null : newContainer(type, madeIn, false, node).container;
  const instance: Instance = { kind: 'instance', cls, library, node, madeIn, attrs: new Map(), items };
  node.content = () => [...nodesOf(instance.attrs), ...(items === null ? [] : nodesOf(items.attrs))];
  return { value: valueOfInstance(instance), instance };
}

export function valueOfInstance(instance: Instance): Value {
  const { node, items } = instance;
  return valueOf(node, items === null ? [instance] : [instance, items]);
}

/** The container that a class of the program extends, as in `class TraceDict(dict)`; null for none. */
function containerOf({ bases }: ClassObject, depth = 0): Container['type'] | null {
  for (const base of depth < MAX_BASES ? bases : []) {
    const type = base.kind === 'library' ? madeBy(base.name)?.type : containerOf(base, depth + 1);
    // The bound of a deque or a queue is in a call of its constructor, which is not read.
    if (type === 'dict' || type === 'list' || type === 'set') return type;
  }
  return null;
}

/** Maximum number of classes that are derived from each other. */
export const MAX_BASES = 8;

/** Either of two values. */
export function eitherOf(a: Value | undefined, b: Value | undefined): Value {
  if (a === undefined || b === undefined || a.node === b.node) return a ?? b ?? plainValue();
  const node = new FlowNode(a.node.grad > b.node.grad ? a.node.grad : b.node.grad, a.node.isTensor && b.node.isTensor);
  node.same.push(a.node, b.node);
  const objects = [...new Set([...a.objects, ...b.objects])].slice(0, MAX_OBJECTS);
  const items =
    a.items !== null && b.items !== null && a.items.length === b.items.length
      ? a.items.map((item, i) => eitherOf(item, b.items?.[i]))
      : null;
  return { ...valueOf(node, objects, items), known: knownOfEither(a.known, b.known) };
}

/** Maximum number of possible objects of one value. */
const MAX_OBJECTS = 6;

function* nodesOf(attrs: ReadonlyMap<string, Value>): Iterable<FlowNode> {
  for (const { node } of attrs.values()) yield node;
}

export function pairOf(first: Value, second: Value): Value {
  const node = new FlowNode(larger(first.node.grad, second.node.grad));
  node.holds.push(first.node, second.node);
  return valueOf(node, [], [first, second]);
}

/** The name of the library class for caught exceptions. */
export const ERROR = 'exception';

/** The containers that a value may be. */
export function containersOf({ objects }: Value): Container[] {
  return objects.filter((object) => object.kind === 'container');
}

export function addTo(container: Container, item: Value): void {
  container.node.holds.push(item.node);
  for (const object of item.objects) {
    if (container.elements.length < 12 && !container.elements.includes(object)) container.elements.push(object);
  }
}

/** Adds modules to a list of modules. Those of one class do the same, so the first of them stands for all. */
export function addModules(container: Container, { node, objects }: Value): void {
  container.node.holds.push(node);
  for (const object of objects) {
    const isKnown = container.elements.some(
      (one) => one.kind === 'instance' && object.kind === 'instance' && one.cls?.def === object.cls?.def,
    );
    if (!isKnown) container.elements.push(object);
  }
}

/** Notes that a container releases its items, and those of inner containers. */
export function releaseItems(container: Container, clearing: Removal, depth = 0): void {
  container.removals.push(clearing);
  if (!clearing.isThorough || clearing.max !== null || depth > 2) return;
  const inside = [...container.elements, ...[...container.attrs.values()].flatMap(({ objects }) => objects)];
  for (const object of inside) if (object.kind === 'container') releaseItems(object, clearing, depth + 1);
}

/** The items of a loop over it, or of an index. */
export function elementOf(value: Value): Value {
  if (value.items !== null && value.items.length > 0) return value.items.reduce((all, item) => eitherOf(all, item));
  const containers = containersOf(value);
  if (containers.length === 0) return partOf(value);
  const held = containers.flatMap(({ node, attrs }) => [
    ...node.holds,
    ...[...attrs.values()].map((item) => item.node),
  ]);
  const areTensors = held.length > 0 && held.every(({ isTensor }) => isTensor);
  const node = new FlowNode(gradInside(containers) > 0 ? 2 : 0, areTensors);
  const objects: PyObject[] = [];
  for (const container of containers) {
    node.same.push(...container.node.holds.slice(-8));
    objects.push(...container.elements);
    for (const item of container.attrs.values()) {
      node.same.push(item.node);
      objects.push(...item.objects);
    }
  }
  return { ...valueOf(node, [...new Set(objects)].slice(0, 6)), known: drawn(value) };
}

/** An object that all values with equal elements or keys, in equal order, share. */
export function sourceOf({ source, node }: Value): object {
  return source ?? node;
}

/** A value that a loop draws: each time that the loop begins, the same again. */
export function drawnFrom(items: Value, loop: string): Value {
  const mark = (value: Value): Value => ({
    ...value,
    items: value.items?.map(mark) ?? null,
    known: value.known?.kind === 'drawn' ? value.known : { kind: 'drawn', from: value.source ?? from, loop },
  });
  const from = sourceOf(items);
  return mark(elementOf(items));
}

/** True if a list, dictionary or object holds no watched memory yet. */
export function holdsNothing(value: Value, walker: Walker): boolean {
  const isFillable = value.objects.some((object) => object.kind === 'container' || object.kind === 'instance');
  return isFillable && dataHeld(value.node, walker) === 0 && graphHeld(value.node, walker) === 0;
}

/** A value that is created in a store lives as long as its holder. */
export function adopt(value: Value, madeIn: readonly LoopRound[], home: Home): void {
  for (const object of value.objects) {
    if (object.kind !== 'container' && object.kind !== 'instance') continue;
    object.madeIn = madeIn;
    if (object.kind === 'container') object.home ??= home;
    for (const attr of object.attrs.values()) {
      for (const inner of attr.objects) if (inner.kind === 'container') inner.madeIn = madeIn;
    }
  }
}

/** A part of a value that is unknown: likely the same memory, and behind it the same graph. */
export function partOf(value: Value): Value {
  const node = new FlowNode(value.node.grad);
  node.parents.push(value.node);
  node.storage.push(value.node);
  node.limit = 2;
  node.made = value.node.made;
  return { ...valueOf(node), known: value.known?.kind === 'unique' ? value.known : drawn(value) };
}

/** Facts on a key of several parts: a value of the outermost loop, or one that occurs once, makes it unique. */
export function knownOfParts(parts: readonly Value[], loops: readonly LoopRound[]): Known | null {
  const places = parts.map((part) => loops.findIndex(({ loop }) => loop === drawn(part)?.loop));
  const first = Math.min(...places.filter((place) => place >= 0));
  const isSure = first === 0 || parts.every(({ known }) => known !== null);
  if (isSure && first < loops.length) return parts[places.indexOf(first)].known;
  return parts.find(({ known }) => known?.kind === 'unique' || known?.kind === 'identity')?.known ?? null;
}

/** A part of a drawn value is drawn with it. */
function drawn({ known }: Value): (Known & { readonly kind: 'drawn' }) | null {
  return known?.kind === 'drawn' ? known : null;
}

/** The items of a container that is emptied into another. */
export function spread(value: Value): Value {
  return value.objects.some((object) => object.kind === 'container') ? elementOf(value) : partOf(value);
}

export function gradInside(objects: readonly PyObject[]): Sureness {
  let max: Sureness = 0;
  for (const object of objects) {
    if (object.kind !== 'container') continue;
    for (const { grad } of object.node.holds.slice(-8)) max = larger(max, grad);
    for (const { node } of object.attrs.values()) max = larger(max, node.grad);
  }
  return max;
}

export function classAttribute(cls: ClassObject, name: string, depth = 0): Value | undefined {
  const own = cls.attrs.get(name);
  if (own !== undefined || depth > MAX_BASES) return own;
  for (const base of cls.bases) {
    const found = base.kind === 'class' ? classAttribute(base, name, depth + 1) : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}

/** A module of PyTorch's own. */
export function isModule(library: string): boolean {
  return library.startsWith('torch.nn.');
}

/** An object of a library, not a module: it may hold, release or call its arguments, repeatedly. */
export function isForeign(object: PyObject): boolean {
  return object.kind === 'instance' && object.cls === null && object.library !== '' && !isModule(object.library);
}

/** An object that may call functions of the program from methods of a library, its own or inherited ones. */
export function mayCallBack(object: PyObject): boolean {
  return isForeign(object) || (object.kind === 'instance' && object.cls !== null && inheritsForeign(object.cls));
}

function inheritsForeign(cls: ClassObject, depth = 0): boolean {
  return cls.bases.some((base) => {
    if (base.kind === 'library') return !isModule(base.name);
    return depth < MAX_BASES && inheritsForeign(base, depth + 1);
  });
}
