import type { Expression, Span, Statement, Try } from '../../python/ast.js';
import { forEachExpression } from '../../python/walk.js';
import type { FlowNode } from '../values/flowNode.js';
import { ERROR, eitherOf, newInstance, type Value } from '../values/things.js';
import type { Activation } from './activation.js';
import { Part } from './follower.js';
import { lengthTests } from './lengthTests.js';
import { sourceText } from './sourceText.js';

/** Follows blocks of which one or another runs. */
export class Branches extends Part {
  ifBlock(statement: Statement & { kind: 'if' }, act: Activation): boolean {
    const { machine } = this;
    const isMain = statement.branches.some(({ test }) => sourceText(act.scope.module, test).includes('__name__'));
    if (isMain && act.frame === null) return false;
    if (isMain) return this.follower.block(statement.branches[0].body, act);
    const outer = machine.everyRound;
    for (const { test } of statement.branches) {
      this.follower.evaluate(test, act);
      machine.everyRound = periodOf(test) ?? machine.everyRound;
    }
    const tests = statement.branches.map(({ test }) => test);
    const leaves = this.measuring(
      tests,
      act,
      () => this.either([...statement.branches.map(({ body }) => body), statement.otherwise], act),
      tests.length === 1 && statement.otherwise.length === 0,
    );
    machine.everyRound = outer;
    return leaves;
  }

  /** Follows blocks under tests that may ask for the length of containers. */
  measuring<T>(tests: readonly Expression[], act: Activation, follow: () => T, holds = false): T {
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
  either(blocks: readonly (readonly Statement[])[], act: Activation): boolean {
    const { machine } = this;
    const { scope } = act;
    const before = scope.names;
    const ends: Map<string, Value>[] = [];
    machine.branches++;
    for (const block of blocks) {
      scope.names = new Map(before);
      if (!this.follower.block(block, act)) ends.push(scope.names);
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
    const done: FlowNode[] = [];
    machine.tries.push(done);
    const before = new Map(act.scope.names);
    const left = this.follower.block(statement.body, act);
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

/** `step % 10 == 0` holds every ten rounds. */
function periodOf(test: Expression): number | null {
  let period: number | null = null;
  forEachExpression(test, (part) => {
    if (part.kind === 'binary' && part.operator === '%' && part.right.kind === 'literal')
      period = Number(part.right.text) || null;
  });
  return period;
}
