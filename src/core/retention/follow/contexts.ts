import type { Call, Expression, With } from '../../python/ast.js';
import { plainValue, type Value } from '../values/things.js';
import type { Activation } from './activation.js';
import { Part } from './follower.js';
import { AUTOCAST, SAVES_TENSORS, WITHOUT_GRAPH } from './knownCalls.js';
import { libraryName } from './libraryName.js';
import { callSpecial } from './specialMethods.js';

/** Follows `with` blocks: those without graphs, those of autocast, and all others. */
export class Contexts extends Part {
  withBlock(statement: With, act: Activation): boolean {
    const { machine } = this;
    let withoutGraph = 0;
    let autocasts = 0;
    const contexts: Value[] = [];
    for (const { value, target } of statement.items) {
      const context = this.follower.evaluate(value, act);
      contexts.push(context);
      const entered = callSpecial(this.follower, context, '__enter__', [], value, act) ?? context;
      if (target !== null) this.follower.assign(target, entered, act, statement);
      const name = libraryName(this.follower, value.kind === 'call' ? value.callee : value, act);
      if (SAVES_TENSORS.test(name) && value.kind === 'call') this.noteCallbacks(value, act);
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
      const leaves = this.follower.block(statement.body, act);
      for (const context of contexts) {
        const nothing = ['type', 'value', 'traceback'].map(() => plainValue());
        callSpecial(this.follower, context, '__exit__', nothing, statement, act);
      }
      return leaves;
    } finally {
      machine.withoutGraph -= withoutGraph;
      machine.autocasts.length -= autocasts;
    }
  }

  /** `saved_tensors_hooks(pack, unpack)`: both are called with what autograd saves. */
  private noteCallbacks({ args }: Call, act: Activation): void {
    for (const { value } of args) {
      for (const thing of this.follower.evaluate(value, act).things) {
        if (thing.kind === 'function' && !this.machine.callbacks.includes(thing)) this.machine.callbacks.push(thing);
      }
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
