import type { Expression, Import, Statement, With } from '../../python/ast.js';
import { bodiesOf, headerOf, type PythonModule } from '../../python/pythonModule.js';
import { AUTOCAST, WITHOUT_GRAPH } from '../operations.js';
import { FlowNode } from '../values/flowNode.js';
import { Scope, type Value, plainValue, valueOf } from '../values/objects.js';
import { Assignments } from './assignments.js';
import { Branches, newError } from './branches.js';
import { callSpecial } from './calls.js';
import { Definitions } from './definitions.js';
import { Part } from './follower.js';
import { libraryName } from './libraryCalls.js';
import { Loops } from './loops.js';
import { StackFrames } from './stackFrames.js';
import type { Activation } from './machine.js';
import { Targets } from './targets.js';

/** Follows statements. */
export class Statements extends Part {
  private readonly frames = new StackFrames(this.follower);
  private readonly branches = new Branches(this.follower);
  private readonly loops = new Loops(this.follower);
  private readonly contexts = new Contexts(this.follower);
  private readonly assignments = new Assignments(this.follower);
  private readonly targets = new Targets(this.follower);
  private readonly definitions = new Definitions(this.follower);
  private readonly imports = new Imports(this.follower);

  /** @returns true if it leaves the block */
  block(statements: readonly Statement[], act: Activation): boolean {
    const { machine } = this;
    const outer = machine.measured;
    try {
      for (const statement of statements) {
        if (this.statement(statement, act)) return true;
        machine.measured = [...machine.measured, ...this.branches.lengthsBehind(statement, act)];
      }
      return false;
    } finally {
      machine.measured = outer;
    }
  }

  private statement(statement: Statement, act: Activation): boolean {
    this.machine.count();
    if (!this.machine.isOnPath(act, headerOf(statement))) return this.execute(statement, act);
    const execute = (): boolean => this.frames.standOn(act, () => this.execute(statement, act));
    // The blocks of a statement are not on its line.
    return bodiesOf(statement).length > 0 ? execute() : this.machine.watching(act, execute);
  }

  private execute(statement: Statement, act: Activation): boolean {
    switch (statement.kind) {
      case 'assign':
        this.assignments.assignment(statement, act);
        return false;
      case 'update':
        this.assignments.update(statement.target, statement.operator, statement.value, act, statement);
        return false;
      case 'expression':
        this.follower.evaluate(statement.value, act);
        return false;
      case 'return': {
        const value = statement.value === null ? plainValue() : this.follower.evaluate(statement.value, act);
        act.returned.push(value);
        return true;
      }
      case 'delete':
        for (const target of statement.targets) this.targets.drop(target, act);
        return false;
      case 'if':
        return this.branches.ifBlock(statement, act);
      case 'while':
        this.follower.evaluate(statement.test, act);
        this.machine.measuring(this.branches.lengthsInside(statement, act), () => this.loops.whileLoop(statement, act));
        return this.block(statement.otherwise, act);
      case 'for':
        return this.loops.forLoop(statement, act);
      case 'with':
        return this.contexts.withBlock(statement, act);
      case 'try':
        return this.branches.tryBlock(statement, act);
      case 'match':
        this.follower.evaluate(statement.subject, act);
        return this.branches.either(
          statement.bodies.map((body) => ({ body })),
          act,
        );
      case 'function': {
        const value = this.definitions.functionDef(statement, act, null);
        act.scope.scopeOf(statement.name).names.set(statement.name, value);
        return false;
      }
      case 'class':
        act.scope.names.set(statement.name, this.definitions.classValue(statement, act));
        return false;
      case 'scope':
        for (const name of statement.names) {
          (statement.type === 'global' ? act.scope.globals : act.scope.nonlocals).add(name);
        }
        return false;
      case 'import':
        this.imports.importNames(statement, act);
        return false;
      case 'other':
        for (const value of statement.values) this.follower.evaluate(value, act);
        return statement.leaves;
    }
  }
}

/** Follows `with` blocks: those without graphs, those of autocast, and all others. */
class Contexts extends Part {
  withBlock(statement: With, act: Activation): boolean {
    const { machine } = this;
    let withoutGraph = 0;
    let autocasts = 0;
    const contexts: Value[] = [];
    const handledBefore = machine.handled.length;
    for (const { value, target } of statement.items) {
      const context = this.follower.evaluate(value, act);
      contexts.push(context);
      const entered = callSpecial(this.follower, context, '__enter__', [], value, act) ?? context;
      if (target !== null) this.follower.assign(target, entered, act, statement);
      const name = libraryName(this.follower, value.kind === 'call' ? value.callee : value, act);
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
    const error = newError(machine);
    const errors = [error.node, ...machine.handled.splice(handledBefore)];
    machine.tries.push(...errors.map(({ holds }) => holds));
    try {
      const leaves = this.follower.block(statement.body, act);
      for (const context of contexts)
        callSpecial(this.follower, context, '__exit__', [plainValue(), error, plainValue()], statement, act);
      return leaves;
    } finally {
      machine.tries.length -= errors.length;
      machine.withoutGraph -= withoutGraph;
      machine.autocasts.length -= autocasts;
    }
  }
}

function isGradOff(value: Expression, name: string): boolean {
  return (
    name === 'torch.set_grad_enabled' &&
    value.kind === 'call' &&
    value.args[0]?.value.kind === 'literal' &&
    value.args[0].value.text === 'False'
  );
}

/** Follows imports: of files of the workspace, and of libraries. */
export class Imports extends Part {
  importNames(statement: Import, act: Activation): void {
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
  moduleScope(module: PythonModule): Scope {
    const { machine } = this;
    let scope = machine.scopes.get(module);
    if (scope === undefined) {
      scope = new Scope(module, null);
      machine.scopes.set(module, scope);
      const { loops } = machine;
      machine.loops = [];
      this.follower.block(module.body, { scope, def: null, frame: null, returned: [], depth: 2, context: null });
      machine.loops = loops;
    }
    return scope;
  }
}

function libraryValue(name: string): Value {
  return valueOf(new FlowNode(0), [{ kind: 'library', name }]);
}
