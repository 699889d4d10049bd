import type { Call, Expression, FunctionDef, Lambda, Span, Statement } from '../../python/ast.js';
import type { PythonModule } from '../../python/pythonModule.js';
import type { ClassThing, FunctionThing, Given, Scope, Value } from '../values/things.js';
import type { Activation } from './activation.js';
import { Assignments } from './assignments.js';
import { Attributes } from './attributes.js';
import { Branches } from './branches.js';
import { Calls } from './calls.js';
import { Contexts } from './contexts.js';
import { Definitions } from './definitions.js';
import { Effects } from './effects.js';
import { Expressions } from './expressions.js';
import type { Follower, NextFrame } from './follower.js';
import { Imports } from './imports.js';
import { Invocations } from './invocations.js';
import { KnownMethods } from './knownMethods.js';
import { LibraryCalls } from './libraryCalls.js';
import { Loops } from './loops.js';
import type { Machine } from './machine.js';
import { StackFrames } from './stackFrames.js';
import { Statements } from './statements.js';
import { Targets } from './targets.js';

/** Puts together the parts that follow a program. */
export class Program implements Follower {
  readonly frames: StackFrames;
  private readonly calls: Calls;
  private readonly definitions: Definitions;
  private readonly expressions: Expressions;
  private readonly imports: Imports;
  private readonly invocations: Invocations;
  private readonly statements: Statements;
  private readonly targets: Targets;

  constructor(readonly machine: Machine) {
    const attributes = new Attributes(this);
    const effects = new Effects(this);
    this.calls = new Calls(this, attributes, effects, new KnownMethods(this), new LibraryCalls(this, effects));
    this.definitions = new Definitions(this);
    this.expressions = new Expressions(this, attributes, this.calls);
    this.imports = new Imports(this);
    this.invocations = new Invocations(this);
    this.targets = new Targets(this, attributes);
    this.frames = new StackFrames(this, this.definitions);
    this.statements = new Statements(this, {
      frames: this.frames,
      branches: new Branches(this),
      loops: new Loops(this, this.frames),
      contexts: new Contexts(this),
      assignments: new Assignments(this),
      targets: this.targets,
      definitions: this.definitions,
      imports: this.imports,
    });
  }

  evaluate(expression: Expression, act: Activation): Value {
    return this.expressions.evaluate(expression, act);
  }

  assign(target: Expression, value: Value, act: Activation, statement: Span): void {
    this.targets.assign(target, value, act, statement);
  }

  callValue(value: Value, given: readonly Given[], call: Call, act: Activation, callee: Expression): Value {
    return this.calls.callValue(value, given, call, act, callee);
  }

  invoke(fn: FunctionThing, given: readonly Given[], act: Activation, frame: number | null): Value {
    return this.invocations.invoke(fn, given, act, frame);
  }

  invokeAt(fn: FunctionThing, given: readonly Given[], frame: number | null, depth: number): Value {
    return this.invocations.invokeAt(fn, given, frame, depth);
  }

  block(statements: readonly Statement[], act: Activation): boolean {
    return this.statements.block(statements, act);
  }

  functionValue(
    def: FunctionDef | Lambda,
    act: Activation,
    owner: ClassThing | null,
  ): Value & { things: readonly [FunctionThing] } {
    return this.definitions.functionValue(def, act, owner);
  }

  moduleScope(module: PythonModule): Scope {
    return this.imports.moduleScope(module);
  }

  nextFrame(act: Activation, span: Span): NextFrame | null {
    return this.frames.nextFrame(act, span);
  }
}
