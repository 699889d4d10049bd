import type { ClassDef, Expression, For, FunctionDef, Import, Span, Statement, Try, With } from '../python/ast.js';
import { functionAt, type PythonModule } from '../python/pythonModule.js';
import { forEachExpression, expressionsOf } from '../python/walk.js';
import { Assigner } from './assigner.js';
import { FlowNode } from './flow.js';
import { AUTOCAST, CACHES, WITHOUT_GRAPH } from './knownCalls.js';
import { lengthTests } from './lengthTests.js';
import { sourceText, type Activation } from './machine.js';
import { ERROR, type Given } from './valueMaker.js';
import {
  eitherOf,
  newContainer,
  newInstance,
  plainValue,
  Scope,
  valueOf,
  type ClassThing,
  type FunctionThing,
  type Library,
  type Thing,
  type Value,
} from './things.js';

/** Calls off the stack are followed so deep. */
const DEEPEST_OFF_PATH = 4;
/** Rounds of a loop that are followed: what the first leaves behind is met in the second. */
const ROUNDS = 2;

/** Follows statements along the stack, from its outermost frame to the watched line. */
export class Executor extends Assigner {
  /** Follows the whole path. */
  followPath(): void {
    const { machine } = this;
    const [first] = machine.path;
    machine.entered.add(0);
    if (first.name === '<module>') {
      const scope = new Scope(first.module, null);
      machine.scopes.set(first.module, scope);
      const act: Activation = { scope, def: null, frame: 0, returned: [], depth: 0, context: null };
      this.block(first.module.body, act);
    } else {
      const fn = this.frameFunction(0);
      if (fn === null) return;
      const self = fn.owner === null ? null : newInstance(fn.owner, '', []).value;
      // Nobody knows from where it is called: again and again, or nothing would grow.
      machine.inLoop(OUTSIDE, () => {
        this.invokeAt({ ...fn, self }, [], 0, 0);
      });
      machine.inLoop(OUTSIDE, () => {
        this.invokeAt({ ...fn, self }, [], 0, 0);
      });
    }
    this.runHooks();
  }

  private frameFunction(index: number): FunctionThing | null {
    const { module, name, line } = this.machine.path[index];
    const def = functionAt(module, name, line);
    if (def === null) return null;
    const scope = this.moduleScope(module);
    const known = this.functions.get(def);
    if (known !== undefined) return known;
    const act: Activation = { scope, def: null, frame: null, returned: [], depth: DEEPEST_OFF_PATH, context: null };
    for (const value of scope.names.values()) {
      for (const thing of value.things) {
        if (thing.kind !== 'class') continue;
        for (const attr of thing.attrs.values()) {
          const [fn] = attr.things as (Thing | undefined)[];
          if (fn?.kind === 'function' && fn.def === def) return fn;
        }
      }
    }
    return this.functionValue(def, { ...act, scope: new Scope(module, scope) }, null).things[0];
  }

  /** Functions that were defined while following, by their definitions. */
  private readonly functions = new Map<FunctionDef, FunctionThing>();

  protected nextFrame(act: Activation, span: Span): { index: number; fn: FunctionThing; direct: boolean } | null {
    const { machine } = this;
    if (act.frame === null || act.frame + 1 >= machine.path.length || !machine.isOnPath(act, span)) return null;
    const index = act.frame + 1;
    const fn = this.frameFunction(index);
    if (fn === null) return null;
    return { index, fn, direct: this.namesDirectly(act, index) };
  }

  /** True if the statement on the path calls the next frame's function by its name. */
  private namesDirectly(act: Activation, index: number): boolean {
    const { name } = this.machine.path[index];
    const statement = this.pathStatement;
    if (statement === null || act.frame !== this.pathFrame) return false;
    let found = false;
    for (const expression of expressionsOf(statement)) {
      forEachExpression(expression, (part) => {
        if (part.kind !== 'call') return;
        const called =
          part.callee.kind === 'name' ? part.callee.name : part.callee.kind === 'attribute' ? part.callee.name : '';
        if (called === name) found = true;
      });
    }
    return found;
  }

  private pathStatement: Statement | null = null;
  private pathFrame = -1;

  /** @returns true if it leaves the block */
  private block(statements: readonly Statement[], act: Activation): boolean {
    for (const statement of statements) {
      if (this.statement(statement, act)) return true;
    }
    return false;
  }

  private statement(statement: Statement, act: Activation): boolean {
    const { machine } = this;
    machine.count();
    const header = headerOf(statement);
    const onPath = machine.isOnPath(act, header);
    if (!onPath) return this.execute(statement, act);
    const outer = [this.pathStatement, this.pathFrame] as const;
    this.pathStatement = statement;
    this.pathFrame = act.frame ?? -1;
    const next = (act.frame ?? 0) + 1;
    for (let inner = next; inner < machine.path.length; inner++) machine.entered.delete(inner);
    const leaves = this.execute(statement, act);
    [this.pathStatement, this.pathFrame] = outer;
    // No call led on: a library called back. What it gives is not known.
    if (next < machine.path.length && !machine.entered.has(next)) this.callBack(next);
    return leaves;
  }

  private callBack(index: number): void {
    const fn = this.frameFunction(index);
    if (fn === null) return;
    const self = fn.owner === null ? null : newInstance(fn.owner, '', []).value;
    for (let round = 0; round < ROUNDS; round++) {
      this.machine.inLoop(`library:${index}`, () => {
        this.invokeAt({ ...fn, self }, [], index, 0);
      });
    }
  }

  private execute(statement: Statement, act: Activation): boolean {
    switch (statement.kind) {
      case 'assign':
        this.assignment(statement, act);
        return false;
      case 'update':
        this.update(statement.target, statement.operator, statement.value, act, statement);
        return false;
      case 'expression':
        this.evaluate(statement.value, act);
        return false;
      case 'return': {
        const value = statement.value === null ? plainValue() : this.evaluate(statement.value, act);
        act.returned.push(value);
        return true;
      }
      case 'delete':
        for (const target of statement.targets) this.drop(target, act);
        return false;
      case 'if':
        return this.branch(statement, act);
      case 'while':
        this.evaluate(statement.test, act);
        this.measuring([statement.test], act, () => {
          this.loop(statement.body, act, statement, () => undefined);
        });
        return this.block(statement.otherwise, act);
      case 'for':
        return this.forLoop(statement, act);
      case 'with':
        return this.withBlock(statement, act);
      case 'try':
        return this.tryBlock(statement, act);
      case 'match':
        this.evaluate(statement.subject, act);
        return this.branches(statement.bodies, act);
      case 'function': {
        const value = this.functionValue(statement, act, null);
        this.functions.set(statement, value.things[0]);
        act.scope.scopeOf(statement.name).names.set(statement.name, value);
        return false;
      }
      case 'class':
        act.scope.names.set(statement.name, this.classValue(statement, act));
        return false;
      case 'scope':
        for (const name of statement.names) {
          (statement.type === 'global' ? act.scope.globals : act.scope.nonlocals).add(name);
        }
        return false;
      case 'import':
        this.importNames(statement, act);
        return false;
      case 'other':
        for (const value of statement.values) this.evaluate(value, act);
        return statement.leaves;
    }
  }

  private branch(statement: Statement & { kind: 'if' }, act: Activation): boolean {
    const { machine } = this;
    const isMain = statement.branches.some(({ test }) => sourceText(act.scope.module, test).includes('__name__'));
    if (isMain && act.frame === null) return false;
    if (isMain) return this.block(statement.branches[0].body, act);
    const outer = machine.everyRound;
    for (const { test } of statement.branches) {
      this.evaluate(test, act);
      machine.everyRound = periodOf(test) ?? machine.everyRound;
    }
    const tests = statement.branches.map(({ test }) => test);
    const leaves = this.measuring(
      tests,
      act,
      () => this.branches([...statement.branches.map(({ body }) => body), statement.otherwise], act),
      tests.length === 1 && statement.otherwise.length === 0,
    );
    machine.everyRound = outer;
    return leaves;
  }

  /** Follows blocks under tests that may ask for the length of containers. */
  private measuring<T>(tests: readonly Expression[], act: Activation, follow: () => T, holds = false): T {
    const { machine } = this;
    const outer = machine.measured;
    const text = (span: Span): string => sourceText(act.scope.module, span);
    machine.measured = [...outer, ...tests.flatMap((test) => lengthTests(test, text, holds))];
    try {
      return follow();
    } finally {
      machine.measured = outer;
    }
  }

  /** Follows each block from the same start; afterwards any may have run. */
  private branches(blocks: readonly (readonly Statement[])[], act: Activation): boolean {
    const { machine } = this;
    const { scope } = act;
    const before = scope.names;
    const ends: Map<string, Value>[] = [];
    machine.branches++;
    for (const block of blocks) {
      scope.names = new Map(before);
      if (!this.block(block, act)) ends.push(scope.names);
    }
    machine.branches--;
    scope.names = ends[0] ?? before;
    for (const end of ends.slice(1)) {
      for (const [name, value] of end) scope.names.set(name, eitherOf(scope.names.get(name), value));
    }
    return ends.length === 0 && blocks.length > 1;
  }

  private loop(body: readonly Statement[], act: Activation, span: Span, begin: () => void): void {
    const { machine } = this;
    const outer = machine.everyRound;
    machine.everyRound = null;
    for (let round = 0; round < ROUNDS; round++) {
      machine.inLoop(`${act.scope.module.file}:${span.from}`, () => {
        begin();
        this.block(body, act);
      });
    }
    machine.everyRound = outer;
  }

  private forLoop(statement: For, act: Activation): boolean {
    const { machine } = this;
    let items: Value | null = null;
    // The stack may stand on the header: the iterator allocates, once per round.
    if (machine.isOnPath(act, headerOf(statement))) {
      machine.inLoop(`${act.scope.module.file}:${statement.from}`, () => {
        items = this.evaluate(statement.iterable, act);
        const next = (act.frame ?? 0) + 1;
        if (next < machine.path.length && !machine.entered.has(next)) this.callBack(next);
      });
    } else items = this.evaluate(statement.iterable, act);
    this.loop(statement.body, act, statement, () => {
      const element = this.elementOf(items ?? plainValue());
      if (act.frame !== null && act.frame + 1 < machine.path.length && machine.isOnPath(act, headerOf(statement))) {
        machine.mark(element.node, 2);
      }
      machine.watch(act, headerOf(statement), element.node);
      this.assign(statement.target, element, act, statement);
    });
    return this.block(statement.otherwise, act);
  }

  private withBlock(statement: With, act: Activation): boolean {
    const { machine } = this;
    let withoutGraph = 0;
    let autocasts = 0;
    for (const { value, target } of statement.items) {
      const entered = this.evaluate(value, act);
      if (target !== null) this.assign(target, entered, act, statement);
      const name = this.libraryName(value.kind === 'call' ? value.callee : value, act);
      if (WITHOUT_GRAPH.test(name) || isGradOff(value, name)) withoutGraph++;
      if (
        AUTOCAST.test(name) &&
        value.kind === 'call' &&
        !value.args.some(({ name: key }) => key === 'cache_enabled' || key === 'enabled')
      ) {
        autocasts++;
        machine.autocasts.push({ span: value, loops: machine.loops, module: act.scope.module });
      }
    }
    machine.withoutGraph += withoutGraph;
    try {
      return this.block(statement.body, act);
    } finally {
      machine.withoutGraph -= withoutGraph;
      machine.autocasts.length -= autocasts;
    }
  }

  private libraryName(expression: Expression, act: Activation): string {
    if (expression.kind !== 'name' && expression.kind !== 'attribute') return '';
    const thing = this.evaluate(expression, act).things.find(({ kind }) => kind === 'library');
    return thing?.kind === 'library' ? thing.name : '';
  }

  private tryBlock(statement: Try, act: Activation): boolean {
    const { machine } = this;
    const done: FlowNode[] = [];
    machine.tries.push(done);
    const before = new Map(act.scope.names);
    const left = this.block(statement.body, act);
    machine.tries.pop();
    const after = act.scope.names;
    const ends: Map<string, Value>[] = left ? [] : [after];
    for (const { name, body } of statement.handlers) {
      act.scope.names = new Map(before);
      for (const [key, value] of after) act.scope.names.set(key, eitherOf(before.get(key), value));
      if (name !== null) {
        const { value, instance } = newInstance(null, ERROR, machine.loops);
        instance.node.isObject = false;
        instance.node.holds.push(...done);
        act.scope.names.set(name, value);
      }
      machine.branches++;
      if (!this.block(body, act)) ends.push(act.scope.names);
      machine.branches--;
    }
    act.scope.names = ends[0] ?? after;
    for (const end of ends.slice(1)) {
      for (const [key, value] of end) act.scope.names.set(key, eitherOf(act.scope.names.get(key), value));
    }
    const leaves = this.block(statement.rest, act);
    return leaves || ends.length === 0;
  }

  private classValue(def: ClassDef, act: Activation): Value {
    const bases: (ClassThing | Library)[] = [];
    for (const base of def.bases) {
      const value = this.evaluate(base, act);
      for (const thing of value.things) if (thing.kind === 'class' || thing.kind === 'library') bases.push(thing);
    }
    const node = new FlowNode(0);
    const cls: ClassThing = {
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
        const value = this.functionValue(statement, act, cls);
        this.functions.set(statement, value.things[0]);
        cls.attrs.set(statement.name, value);
      } else {
        this.statement(statement, inner);
        for (const [name, value] of body.names) if (!cls.attrs.has(name)) cls.attrs.set(name, value);
      }
    }
    return valueOf(node, [cls]);
  }

  private importNames(statement: Import, act: Activation): void {
    const { module } = act.scope;
    const { names } = act.scope;
    for (const { name, as } of statement.names) {
      if (statement.module === '') {
        const found = this.machine.sources.imported(module, as === name ? name.split('.')[0] : name);
        const bound = as === name ? name.split('.')[0] : as;
        names.set(bound, found === null ? libraryValue(as === name ? bound : name) : this.moduleValue(found));
        continue;
      }
      const from = this.machine.sources.imported(module, statement.module);
      if (name === '*') {
        if (from !== null) for (const [key, value] of this.moduleScope(from).names) names.set(key, value);
        continue;
      }
      const value = from === null ? undefined : this.moduleScope(from).names.get(name);
      const inner =
        value === undefined
          ? this.machine.sources.imported(
              module,
              `${statement.module}${statement.module.endsWith('.') ? '' : '.'}${name}`,
            )
          : null;
      if (value !== undefined) names.set(as, value);
      else if (inner !== null) names.set(as, this.moduleValue(inner));
      else names.set(as, from === null ? libraryValue(`${statement.module}.${name}`) : valueOf(new FlowNode(1)));
    }
  }

  private moduleValue(module: PythonModule): Value {
    return valueOf(new FlowNode(0), [{ kind: 'module', scope: this.moduleScope(module) }]);
  }

  /** The names of a module, as its own statements make them. */
  private moduleScope(module: PythonModule): Scope {
    const { machine } = this;
    let scope = machine.scopes.get(module);
    if (scope === undefined) {
      scope = new Scope(module, null);
      machine.scopes.set(module, scope);
      const { loops } = machine;
      machine.loops = [];
      this.block(module.body, { scope, def: null, frame: null, returned: [], depth: 2, context: null });
      machine.loops = loops;
    }
    return scope;
  }

  protected invoke(fn: FunctionThing, given: readonly Given[], act: Activation, frame: number | null): Value {
    const { machine } = this;
    if (frame === null) {
      const repeats = machine.running.filter((def) => def === fn.def).length;
      if (repeats > 1 || act.depth >= DEEPEST_OFF_PATH || machine.running.length > 60 || !machine.mayLeavePath) {
        return this.unfollowed(fn, given);
      }
      return this.invokeAt(fn, given, null, act.depth + 1);
    }
    if (!machine.path[frame].throughLibrary && !machine.foreign.has(frame)) return this.invokeAt(fn, given, frame, 0);
    let value = plainValue();
    for (let round = 0; round < ROUNDS; round++) {
      machine.inLoop(`library:${frame}`, () => {
        value = this.invokeAt(fn, given, frame, 0);
      });
    }
    return value;
  }

  private unfollowed(fn: FunctionThing, given: readonly Given[]): Value {
    const operands = given.map(({ value }) => value.node);
    if (fn.self !== null) operands.push(fn.self.node);
    const node = this.machine.operation(operands, 1, false);
    return valueOf(node);
  }

  private invokeAt(fn: FunctionThing, given: readonly Given[], frame: number | null, depth: number): Value {
    const { machine } = this;
    const { def } = fn;
    if (frame !== null) machine.entered.add(frame);
    const scope = new Scope(fn.module, fn.scope);
    this.bind(fn, given, scope);
    for (const one of given) machine.note(one.value.node);
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
    let withoutGraph = 0;
    try {
      if (def.kind === 'lambda') return this.evaluate(def.body, act);
      const decorators = def.decorators.map((decorator) => ({
        decorator,
        name: this.libraryName(decorator.kind === 'call' ? decorator.callee : decorator, { ...act, scope: fn.scope }),
      }));
      withoutGraph = decorators.filter(({ name }) => WITHOUT_GRAPH.test(name)).length;
      machine.withoutGraph += withoutGraph;
      this.block(def.body, act);
      const value = act.returned.length === 0 ? plainValue() : act.returned.reduce((all, one) => eitherOf(all, one));
      for (const keeper of act.context?.stored ?? []) {
        if (leadsToSame(value.node, keeper.value.node)) machine.keepers.push(keeper);
      }
      for (const { decorator, name } of decorators) {
        if (CACHES.test(name)) this.noteCache(fn, def, decorator, name, value, given, act);
      }
      if (!def.isGenerator) return value;
      const { value: generator, container } = newContainer('list', machine.loops, true);
      this.keepIn(container, value);
      return generator;
    } finally {
      machine.everyRound = outer;
      machine.withoutGraph -= withoutGraph;
      machine.running.pop();
    }
  }

  private noteCache(
    fn: FunctionThing,
    def: FunctionDef,
    decorator: Expression,
    name: string,
    value: Value,
    given: readonly Given[],
    act: Activation,
  ): void {
    const node = new FlowNode(0);
    node.holds.push(value.node, ...given.map((one) => one.value.node));
    if (fn.self !== null) node.holds.push(fn.self.node);
    this.note('cache', act, decorator, {
      holder: `the cache of ${def.name}()`,
      kept: '',
      keptSpan: null,
      value: valueOf(node),
      container: null,
      attribute: null,
      most: name.endsWith('lru_cache') ? cacheSize(decorator, act) : null,
      guessed: false,
    });
  }

  private bind({ def, self, defaults, owner }: FunctionThing, given: readonly Given[], scope: Scope): void {
    const { machine } = this;
    const decorators = def.kind === 'function' ? def.decorators.map((one) => sourceText(scope.module, one)) : [];
    const isClassMethod = decorators.includes('classmethod');
    const positional = given.filter(({ name, star }) => name === null && star === '').map(({ value }) => value);
    if (self !== null && !isClassMethod) positional.unshift(self);
    else if (isClassMethod && owner !== null) positional.unshift(valueOf(owner.node, [owner]));
    const spread = given.filter(({ star }) => star !== '').map(({ value }) => value);
    const taken = new Set<string>();
    for (const { name, star } of def.params) {
      if (star === '*') {
        const { value, container } = newContainer('list', machine.loops);
        for (const one of positional.splice(0)) this.keepIn(container, one);
        scope.names.set(name, value);
      } else if (star === '**') {
        const { value, container } = newContainer('dict', machine.loops);
        for (const one of given) {
          if (one.name !== null && !taken.has(one.name)) container.attrs.set(`'${one.name}'`, one.value);
        }
        scope.names.set(name, value);
      } else {
        const named = given.find((one) => one.name === name)?.value;
        taken.add(name);
        const unpacked = spread.length > 0 ? this.elementOf(spread[0]) : undefined;
        const value = named ?? positional.shift() ?? defaults.get(name) ?? unpacked ?? valueOf(new FlowNode(1));
        scope.names.set(name, value);
      }
    }
  }

  /** Follows what was registered as hooks, inside the loops of the watched line. */
  private runHooks(): void {
    const { machine } = this;
    if (machine.watchedLoops === null) return;
    const outer = machine.loops;
    machine.loops = machine.watchedLoops;
    for (const { functions } of machine.hooks.slice(0, 20)) {
      for (const fn of functions) {
        const given = fn.def.params.map((_, i): Given => {
          const node = new FlowNode(2);
          // The module itself comes first, and is no new memory.
          if (i > 0 || fn.def.params.length === 1) node.allocated = 2;
          return { name: null, star: '', value: valueOf(node), span: fn.def };
        });
        this.invokeAt(fn, fn.self === null ? given : given.slice(1), null, DEEPEST_OFF_PATH - 1);
      }
    }
    machine.loops = outer;
  }
}

/** The loop in which a function runs of whose callers nothing is known. */
export const OUTSIDE = 'outside';

/** A statement without the blocks below it. */
function headerOf(statement: Statement): Span {
  const { from, to } = statement;
  switch (statement.kind) {
    case 'if':
      return { from, to: statement.branches[statement.branches.length - 1]?.test.to ?? from };
    case 'while':
      return { from, to: statement.test.to };
    case 'for':
      return { from, to: statement.iterable.to };
    case 'with':
      return { from, to: statement.items[statement.items.length - 1]?.value.to ?? from };
    case 'match':
      return { from, to: statement.subject.to };
    case 'try':
    case 'function':
    case 'class':
      return { from, to: from };
    default:
      return { from, to };
  }
}

/** `step % 10 == 0` holds every ten rounds. */
function periodOf(test: Expression): number | null {
  let period: number | null = null;
  forEachExpression(test, (part) => {
    if (part.kind === 'binary' && part.operator === '%' && part.right.kind === 'literal')
      period = Number(part.right.text) || null;
  });
  return period;
}

function isGradOff(value: Expression, name: string): boolean {
  return (
    name === 'torch.set_grad_enabled' &&
    value.kind === 'call' &&
    value.args[0]?.value.kind === 'literal' &&
    value.args[0].value.text === 'False'
  );
}

/** The results that `functools.lru_cache` keeps at most, null for all. */
function cacheSize(decorator: Expression, act: Activation): string | null {
  if (decorator.kind !== 'call') return DEFAULT_CACHE_SIZE;
  const given = decorator.args.find(({ name }, i) => name === 'maxsize' || (name === null && i === 0))?.value;
  if (given === undefined) return DEFAULT_CACHE_SIZE;
  return given.kind === 'literal' && given.type === 'number' ? sourceText(act.scope.module, given) : null;
}

/** As Python's documentation has it. */
const DEFAULT_CACHE_SIZE = '128';

/** The forward of an autograd function, whose first parameter is `ctx`. */
function isForward({ def, owner }: FunctionThing): boolean {
  if (def.kind === 'lambda' || def.name !== 'forward' || owner === null) return false;
  return owner.bases.some((base) => base.kind === 'library' && /(?:^|\.)Function$/.test(base.name));
}

function leadsToSame(node: FlowNode, goal: FlowNode, depth = 0): boolean {
  if (node === goal) return true;
  return depth < 20 && [...node.same, ...node.holds].some((other) => leadsToSame(other, goal, depth + 1));
}

function libraryValue(name: string): Value {
  return valueOf(new FlowNode(0), [{ kind: 'library', name }]);
}
