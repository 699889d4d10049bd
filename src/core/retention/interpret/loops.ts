import type { For, Span, Statement, While } from '../../python/ast.js';
import { headerOf } from '../../python/pythonModule.js';
import type { FlowNode } from '../values/flowNode.js';
import { type Value, drawnFrom, plainValue } from '../values/objects.js';
import { Part } from './follower.js';
import { type Activation, ROUNDS } from './machine.js';
import { StackFrames } from './stackFrames.js';

/** Follows loops, and stacks on their headers. */
export class Loops extends Part {
  private readonly frames = new StackFrames(this.follower);

  whileLoop(loop: While, act: Activation): void {
    this.enter();
    this.rounds(loop.body, act, loop, () => undefined);
  }

  private enter(): void {
    if (this.machine.loops.length === 0) this.machine.entrance++;
  }

  /** @param begin the start of each iteration */
  private rounds(body: readonly Statement[], act: Activation, span: Span, begin: () => void): void {
    const { machine } = this;
    const outer = machine.everyRound;
    machine.everyRound = null;
    // A loop may not run at all, unless the stack is in it.
    const isSure = machine.isOnPath(act, span);
    if (!isSure) machine.branches++;
    for (let round = 0; round < ROUNDS; round++) {
      machine.inLoop(nameOf(act, span), () => {
        begin();
        this.follower.block(body, act);
      });
    }
    if (!isSure) machine.branches--;
    machine.everyRound = outer;
  }

  forLoop(statement: For, act: Activation): boolean {
    const { machine } = this;
    let items: Value | null = null;
    this.enter();
    // With a stack on the header, the iterator allocates, once per iteration.
    if (machine.isOnPath(act, headerOf(statement))) {
      machine.inLoop(nameOf(act, statement), () => {
        machine.headers.push(nameOf(act, statement));
        items = this.follower.evaluate(statement.iterable, act);
        machine.headers.pop();
        const next = (act.frame ?? 0) + 1;
        if (next < machine.path.length && !machine.entered.has(next)) this.frames.callBack(next);
      });
    } else items = this.follower.evaluate(statement.iterable, act);
    this.rounds(statement.body, act, statement, () => {
      const element = drawnFrom(items ?? plainValue(), nameOf(act, statement));
      const isAllocatedBelow =
        act.frame !== null && act.frame + 1 < machine.path.length && machine.isOnPath(act, headerOf(statement));
      for (const part of tensorsOf(element)) {
        if (isAllocatedBelow) machine.mark(part, 2);
        machine.watch(act, headerOf(statement), part, part === element.node ? 3 : 2);
      }
      this.follower.assign(statement.target, element, act, statement);
    });
    return this.follower.block(statement.otherwise, act);
  }
}

/** The element that a loop draws and, of a tuple, its parts: all but numbers, such as those of `enumerate`. */
function tensorsOf({ node, items }: Value): FlowNode[] {
  const isNumber =
    items === null && [node.same, node.holds, node.storage, node.parents].every((list) => list.length === 0);
  return [...(isNumber && !node.isTensor ? [] : [node]), ...(items ?? []).flatMap(tensorsOf)];
}

/** A loop's name: the same whenever it runs. */
function nameOf({ scope }: Activation, { from }: Span): string {
  return `${scope.module.file}:${from}`;
}
