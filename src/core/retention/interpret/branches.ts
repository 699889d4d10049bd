import type { Expression, Statement, Try, While } from '../../python/ast.js';
import { allParts, leaves } from '../../python/walk.js';
import { ERROR, type Value, eitherOf, newInstance } from '../values/objects.js';
import { Part } from './follower.js';
import { TestedLengths } from './lengthTests.js';
import type { Activation, Machine, Measured } from './machine.js';
import { sourceText } from './sourceText.js';

/** Follows blocks of which one or another runs. */
export class Branches extends Part {
  private readonly lengths = new TestedLengths(this.follower);

  ifBlock(statement: Statement & { kind: 'if' }, act: Activation): boolean {
    const { machine } = this;
    const isMain = statement.branches.some(({ test }) => sourceText(act.scope.module, test).includes('__name__'));
    if (isMain && act.frame === null) return false;
    if (isMain) return this.follower.block(statement.branches[0].body, act);
    const outer = machine.everyRound;
    for (const { test } of statement.branches) {
      this.follower.evaluate(test, act);
      machine.everyRound = this.periodOf(test, act) ?? machine.everyRound;
    }
    const tests = statement.branches.map(({ test }) => test);
    // Where a block is followed, its own test holds, and none before it.
    const blocks = statement.branches.map(({ body }, i) => ({
      body,
      measured: [
        ...tests.slice(0, i).flatMap((test) => this.lengths.measured(test, 'fails', act, { statement, body })),
        ...this.lengths.measured(tests[i], 'holds', act, { statement, body }),
      ],
    }));
    const otherwise = { statement, body: statement.otherwise };
    const measured = tests.flatMap((test) => this.lengths.measured(test, 'fails', act, otherwise));
    const leaves = this.either([...blocks, { body: statement.otherwise, measured }], act);
    machine.everyRound = outer;
    return leaves;
  }

  /** Lengths of containers that are known behind a statement: behind `if len(held) > 9: return`. */
  lengthsBehind(statement: Statement, act: Activation): Measured[] {
    if (statement.kind !== 'if' || statement.otherwise.length > 0) return [];
    return statement.branches.every(({ body }) => leaves(body))
      ? statement.branches.flatMap(({ test }) => this.lengths.measured(test, 'fails', act, { statement, body: [] }))
      : [];
  }

  /** Lengths of containers that are known in the body of a loop that tests them. */
  lengthsInside(statement: While, act: Activation): Measured[] {
    return this.lengths.measured(statement.test, 'holds', act, { statement, body: statement.body });
  }

  /** `step % 10 == 0` holds every ten rounds. */
  private periodOf(test: Expression, act: Activation): number | null {
    const periods = allParts(test).flatMap((part) => {
      const known =
        part.kind === 'binary' && part.operator === '%' ? this.follower.evaluate(part.right, act).known : null;
      return known?.kind === 'constant' ? (known.value ?? []) : [];
    });
    return periods.at(-1) ?? null;
  }

  /** Follows each block from the same start; afterwards any may have run. */
  either(
    blocks: readonly { readonly body: readonly Statement[]; readonly measured?: readonly Measured[] }[],
    act: Activation,
  ): boolean {
    const { machine } = this;
    const { scope } = act;
    const before = scope.names;
    const ends: Map<string, Value>[] = [];
    machine.branches++;
    for (const { body, measured = [] } of blocks) {
      machine.visit(2 * before.size);
      scope.names = new Map(before);
      if (!machine.measuring(measured, () => this.follower.block(body, act))) ends.push(scope.names);
    }
    machine.branches--;
    scope.names = ends[0] ?? before;
    for (const end of ends.slice(1)) {
      for (const [name, value] of end) scope.names.set(name, eitherOf(scope.names.get(name), value));
    }
    return ends.length === 0 && blocks.length > 1;
  }

  tryBlock(statement: Try, act: Activation): boolean {
    const { machine } = this;
    const error = newError(machine);
    machine.tries.push(error.node.holds);
    if (act.def?.kind === 'function' && act.def.isGenerator) machine.handled.push(error.node);
    const before = new Map(act.scope.names);
    const left = this.follower.block(statement.body, act);
    machine.tries.pop();
    const after = act.scope.names;
    const ends: Map<string, Value>[] = left ? [] : [after];
    for (const { name, body } of statement.handlers) {
      machine.visit(2 * before.size + after.size);
      act.scope.names = new Map(before);
      for (const [key, value] of after) act.scope.names.set(key, eitherOf(before.get(key), value));
      if (name !== null) act.scope.names.set(name, error);
      machine.branches++;
      if (!this.follower.block(body, act)) ends.push(act.scope.names);
      machine.branches--;
    }
    act.scope.names = ends[0] ?? after;
    for (const end of ends.slice(1)) {
      for (const [key, value] of end) act.scope.names.set(key, eitherOf(act.scope.names.get(key), value));
    }
    const leaves = this.follower.block(statement.rest, act);
    return leaves || ends.length === 0;
  }
}

/** An error, whose traceback is to hold the values of operations. */
export function newError({ madeIn }: Machine): Value {
  const { value, instance } = newInstance(null, ERROR, madeIn);
  instance.node.isObject = false;
  return value;
}
