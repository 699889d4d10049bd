import type { ClassDef, FunctionDef, Parameter } from '../../python/ast.js';
import { namesIn } from '../../python/walk.js';
import { FlowNode } from '../values/flowNode.js';
import {
  type ClassObject,
  type FunctionObject,
  type Library,
  Scope,
  type Value,
  containersOf,
  valueOf,
} from '../values/objects.js';
import type { Activation } from './machine.js';
import { Part } from './follower.js';
import { isMade } from './sourceText.js';

/** Follows definitions of functions and classes. */
export class Definitions extends Part {
  /** A function that a statement defines, remembered by its definition. */
  functionDef(def: FunctionDef, act: Activation, owner: ClassObject | null): Value {
    const value = this.functionValue(def, act, owner);
    this.machine.functions.set(def, value.objects[0]);
    return value;
  }

  functionValue(
    def: FunctionObject['def'],
    act: Activation,
    owner: ClassObject | null,
  ): Value & { objects: readonly [FunctionObject] } {
    const defaults = new Map<string, Value>();
    for (const { name, value } of def.params) {
      if (value === null) continue;
      const made = this.follower.evaluate(value, act);
      if (isMade(value)) for (const container of containersOf(made)) container.defaultOf = name;
      defaults.set(name, made);
    }
    const node = new FlowNode(0);
    const { scope } = act;
    const fn: FunctionObject = {
      kind: 'function',
      node,
      def,
      module: scope.module,
      scope,
      defaults,
      owner,
      self: null,
      partial: [],
    };
    // A closure holds the outer variables that it names; those of its module stay anyway.
    if (scope.outer !== null) {
      const used = namesUsed(fn);
      node.content = () => [...used].flatMap((name) => closureNode(scope, name));
    }
    for (const value of defaults.values()) node.holds.push(value.node);
    return { ...valueOf(node), objects: [fn] };
  }

  classValue(def: ClassDef, act: Activation): Value {
    const bases: (ClassObject | Library)[] = [];
    for (const base of def.bases) {
      const value = this.follower.evaluate(base, act);
      for (const object of value.objects) if (object.kind === 'class' || object.kind === 'library') bases.push(object);
    }
    const node = new FlowNode(0);
    const cls: ClassObject = {
      kind: 'class',
      node,
      def,
      module: act.scope.module,
      scope: act.scope,
      attrs: new Map(),
      bases,
    };
    const body = new Scope(act.scope.module, act.scope);
    const inner: Activation = { scope: body, def: null, frame: null, returned: [], depth: act.depth, context: null };
    for (const statement of def.body) {
      if (statement.kind === 'function') {
        // Methods see the module's names, not the class's.
        cls.attrs.set(statement.name, this.functionDef(statement, act, cls));
      } else {
        this.follower.block([statement], inner);
        for (const [name, value] of body.names) if (!cls.attrs.has(name)) cls.attrs.set(name, value);
      }
    }
    return valueOf(node, [cls]);
  }
}

function closureNode(scope: Scope, name: string): FlowNode[] {
  for (let at: Scope | null = scope; at !== null; at = at.outer) {
    const value = at.names.get(name);
    if (value !== undefined) return at.outer === null ? [] : [value.node];
  }
  return [];
}

function namesUsed({ def }: FunctionObject): ReadonlySet<string> {
  const own = new Set(def.params.map(({ name }: Parameter) => name));
  return new Set([...namesIn(def)].filter((name) => !own.has(name)));
}
