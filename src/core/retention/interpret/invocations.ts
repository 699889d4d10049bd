import type { Expression, FunctionDef } from '../../python/ast.js';
import { CACHES, MAKES_CONTEXT, WITHOUT_GRAPH } from '../operations.js';
import { FlowNode, type ItemLimit, itemLimit } from '../values/flowNode.js';
import {
  type FunctionObject,
  type ArgumentValue,
  Scope,
  type Value,
  eitherOf,
  elementOf,
  addTo,
  newContainer,
  plainValue,
  valueOf,
} from '../values/objects.js';
import { leadsToSame } from '../values/reachability.js';
import { Part } from './follower.js';
import { libraryName } from './libraryCalls.js';
import { type Activation, ROUNDS } from './machine.js';
import { noteHolding } from './retain.js';
import { sourceText } from './sourceText.js';

/** Calls off the stack are followed so deep. */
export const DEEPEST_OFF_PATH = 4;

/** Follows the bodies of functions that are called. */
export class Invocations extends Part {
  invoke(fn: FunctionObject, args: readonly ArgumentValue[], act: Activation, frame: number | null): Value {
    const { machine } = this;
    if (frame === null) {
      const repeats = machine.running.filter((def) => def === fn.def).length;
      if (repeats > 1 || act.depth >= DEEPEST_OFF_PATH || machine.running.length > 60 || !machine.mayLeavePath) {
        return this.unfollowed(fn, args);
      }
      return this.invokeAt(fn, args, null, act.depth + 1);
    }
    if (!machine.path[frame].throughLibrary && !machine.foreign.has(frame)) return this.invokeAt(fn, args, frame, 0);
    let value = plainValue();
    for (let round = 0; round < ROUNDS; round++) {
      machine.inLoop(`library:${frame}`, () => {
        value = this.invokeAt(fn, args, frame, 0);
      });
    }
    return value;
  }

  private unfollowed(fn: FunctionObject, args: readonly ArgumentValue[]): Value {
    const operands = args.map(({ value }) => value.node);
    if (fn.self !== null) operands.push(fn.self.node);
    const node = this.machine.operation(operands, 1, false);
    return valueOf(node);
  }

  invokeAt(fn: FunctionObject, args: readonly ArgumentValue[], frame: number | null, depth: number): Value {
    const { machine } = this;
    const { def } = fn;
    if (frame !== null) machine.entered.add(frame);
    const scope = new Scope(fn.module, fn.scope);
    this.bind(fn, args, scope);
    for (const one of args) machine.note(one.value.node);
    const contextName = isForward(fn) ? def.params[0]?.name : undefined;
    const act: Activation = {
      scope,
      def,
      frame,
      returned: [],
      depth,
      context: contextName === undefined ? null : { name: contextName, stored: [] },
    };
    machine.running.push(def);
    const outer = machine.everyRound;
    const { lasting } = machine;
    if (def.kind === 'function' && def.isGenerator) machine.lasting = new Set([...lasting, ...machine.headers]);
    let withoutGraph = 0;
    try {
      if (def.kind === 'lambda') return this.follower.evaluate(def.body, act);
      const decorators = def.decorators.map((decorator) => ({
        decorator,
        name: libraryName(this.follower, decorator.kind === 'call' ? decorator.callee : decorator, {
          ...act,
          scope: fn.scope,
        }),
      }));
      withoutGraph = decorators.filter(({ name }) => WITHOUT_GRAPH.test(name)).length;
      machine.withoutGraph += withoutGraph;
      this.follower.block(def.body, act);
      const value = act.returned.length === 0 ? plainValue() : act.returned.reduce((all, one) => eitherOf(all, one));
      for (const holding of act.context?.stored ?? []) {
        if (leadsToSame(value.node, holding.value.node, machine)) machine.holdings.push(holding);
      }
      for (const { decorator, name } of decorators) {
        if (CACHES.test(name)) this.noteCache(fn, def, decorator, name, value, args, act);
      }
      if (!def.isGenerator || decorators.some(({ name }) => MAKES_CONTEXT.test(name))) return value;
      const { value: generator, container } = newContainer('list', machine.madeIn, true);
      addTo(container, value);
      return generator;
    } finally {
      machine.everyRound = outer;
      machine.lasting = lasting;
      machine.withoutGraph -= withoutGraph;
      machine.running.pop();
    }
  }

  private noteCache(
    fn: FunctionObject,
    def: FunctionDef,
    decorator: Expression,
    name: string,
    value: Value,
    args: readonly ArgumentValue[],
    act: Activation,
  ): void {
    const node = new FlowNode(0);
    const keys = [...(fn.self === null ? [] : [fn.self]), ...args.map((one) => one.value)];
    node.holds.push(value.node, ...keys.map((one) => one.node));
    noteHolding(this.machine, 'cache', act, decorator, {
      holder: `cache of ${fn.owner === null ? '' : `${fn.owner.def.name}.`}${def.name}()`,
      value: valueOf(node),
      key: keys.find((one) => one.node.isTensor || one.known !== null) ?? keys.at(0) ?? null,
      maxBy: 'cache',
      max: name.endsWith('lru_cache') ? this.cacheSize(decorator, { ...act, scope: fn.scope }) : null,
    });
  }

  /** The maximum number of results in `functools.lru_cache`; null for all. */
  private cacheSize(decorator: Expression, act: Activation): ItemLimit | null {
    if (decorator.kind !== 'call') return DEFAULT_CACHE_SIZE;
    const args = decorator.args.find(({ name }, i) => name === 'maxsize' || (name === null && i === 0))?.value;
    if (args === undefined) return DEFAULT_CACHE_SIZE;
    const size = this.follower.evaluate(args, act);
    const isEndless = size.known?.kind === 'constant' && size.known.value === null;
    return isEndless ? null : itemLimit(size, sourceText(act.scope.module, args));
  }

  private bind(
    { def, self, defaults, owner, partial }: FunctionObject,
    called: readonly ArgumentValue[],
    scope: Scope,
  ): void {
    const { machine } = this;
    const args = [...partial, ...called];
    const decorators = def.kind === 'function' ? def.decorators.map((one) => sourceText(scope.module, one)) : [];
    const isClassMethod = decorators.includes('classmethod');
    const positional = args.filter(({ name, star }) => name === null && star === '').map(({ value }) => value);
    if (self !== null && !isClassMethod) positional.unshift(self);
    else if (isClassMethod && owner !== null) positional.unshift(valueOf(owner.node, [owner]));
    const spread = args.filter(({ star }) => star !== '').map(({ value }) => value);
    const taken = new Set<string>();
    for (const { name, star } of def.params) {
      if (star === '*') {
        const { value, container } = newContainer('list', machine.madeIn);
        for (const one of positional.splice(0)) addTo(container, one);
        scope.names.set(name, value);
      } else if (star === '**') {
        const { value, container } = newContainer('dict', machine.madeIn);
        for (const one of args) {
          if (one.name !== null && !taken.has(one.name)) container.attrs.set(`'${one.name}'`, one.value);
        }
        scope.names.set(name, value);
      } else {
        const named = args.find((one) => one.name === name)?.value;
        taken.add(name);
        const unpacked = spread.length > 0 ? elementOf(spread[0]) : undefined;
        const value = named ?? positional.shift() ?? defaults.get(name) ?? unpacked ?? valueOf(new FlowNode(1));
        scope.names.set(name, value);
      }
    }
  }
}

/** The default of Python's documentation. */
const DEFAULT_CACHE_SIZE: ItemLimit = { text: '128', count: 128 };

/** The forward of an autograd function, whose first parameter is `ctx`. */
function isForward({ def, owner }: FunctionObject): boolean {
  if (def.kind === 'lambda' || def.name !== 'forward' || owner === null) return false;
  return owner.bases.some((base) => base.kind === 'library' && /(?:^|\.)Function$/.test(base.name));
}
