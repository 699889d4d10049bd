import type { Statement } from '../../python/ast.js';
import { headerOf } from '../../python/header.js';
import { plainValue } from '../values/things.js';
import type { Activation } from './activation.js';
import type { Assignments } from './assignments.js';
import type { Branches } from './branches.js';
import type { Contexts } from './contexts.js';
import type { Definitions } from './definitions.js';
import { Part, type Follower } from './follower.js';
import type { Imports } from './imports.js';
import type { Loops } from './loops.js';
import type { StackFrames } from './stackFrames.js';
import type { Targets } from './targets.js';

/** What statements are left to, by their kind. */
interface StatementParts {
  readonly frames: StackFrames;
  readonly branches: Branches;
  readonly loops: Loops;
  readonly contexts: Contexts;
  readonly assignments: Assignments;
  readonly targets: Targets;
  readonly definitions: Definitions;
  readonly imports: Imports;
}

/** Follows statements. */
export class Statements extends Part {
  constructor(
    follower: Follower,
    private readonly parts: StatementParts,
  ) {
    super(follower);
  }

  /** @returns true if it leaves the block */
  block(statements: readonly Statement[], act: Activation): boolean {
    const { machine } = this;
    const outer = machine.measured;
    try {
      for (const statement of statements) {
        if (this.statement(statement, act)) return true;
        machine.measured = [...machine.measured, ...this.parts.branches.lengthsBehind(statement, act)];
      }
      return false;
    } finally {
      machine.measured = outer;
    }
  }

  private statement(statement: Statement, act: Activation): boolean {
    this.machine.count();
    if (!this.machine.isOnPath(act, headerOf(statement))) return this.execute(statement, act);
    return this.parts.frames.standOn(statement, act, () => this.execute(statement, act));
  }

  private execute(statement: Statement, act: Activation): boolean {
    const { parts } = this;
    switch (statement.kind) {
      case 'assign':
        parts.assignments.assignment(statement, act);
        return false;
      case 'update':
        parts.assignments.update(statement.target, statement.operator, statement.value, act, statement);
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
        for (const target of statement.targets) parts.targets.drop(target, act);
        return false;
      case 'if':
        return parts.branches.ifBlock(statement, act);
      case 'while':
        this.follower.evaluate(statement.test, act);
        this.machine.measuring(parts.branches.lengthsInside(statement, act), () => {
          parts.loops.whileLoop(statement.body, act, statement);
        });
        return this.block(statement.otherwise, act);
      case 'for':
        return parts.loops.forLoop(statement, act);
      case 'with':
        return parts.contexts.withBlock(statement, act);
      case 'try':
        return parts.branches.tryBlock(statement, act);
      case 'match':
        this.follower.evaluate(statement.subject, act);
        return parts.branches.either(
          statement.bodies.map((body) => ({ body })),
          act,
        );
      case 'function': {
        const value = parts.definitions.functionDef(statement, act, null);
        act.scope.scopeOf(statement.name).names.set(statement.name, value);
        return false;
      }
      case 'class':
        act.scope.names.set(statement.name, parts.definitions.classValue(statement, act));
        return false;
      case 'scope':
        for (const name of statement.names) {
          (statement.type === 'global' ? act.scope.globals : act.scope.nonlocals).add(name);
        }
        return false;
      case 'import':
        parts.imports.importNames(statement, act);
        return false;
      case 'other':
        for (const value of statement.values) this.follower.evaluate(value, act);
        return statement.leaves;
    }
  }
}
