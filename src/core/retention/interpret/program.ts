import { FlowNode } from '../values/flowNode.js';
import { type FunctionObject, type ArgumentValue, Scope, newInstance, valueOf } from '../values/objects.js';
import { Calls } from './calls.js';
import { Expressions } from './expressions.js';
import type { Follower } from './follower.js';
import { DEEPEST_OFF_PATH, Invocations } from './invocations.js';
import { type Activation, type Machine, OUTSIDE, ROUNDS } from './machine.js';
import { StackFrames } from './stackFrames.js';
import { Imports, Statements } from './statements.js';
import { Targets } from './targets.js';

/** Puts together the parts that follow a program. */
export class Program implements Follower {
  readonly frames = new StackFrames(this);
  private readonly calls = new Calls(this);
  private readonly expressions = new Expressions(this);
  private readonly imports = new Imports(this);
  private readonly invocations = new Invocations(this);
  private readonly statements = new Statements(this);
  private readonly targets = new Targets(this);

  constructor(readonly machine: Machine) {}

  readonly evaluate: Follower['evaluate'] = (expression, act) => this.expressions.evaluate(expression, act);
  readonly assign: Follower['assign'] = (target, value, act, span) => this.targets.assign(target, value, act, span);
  readonly callValue: Follower['callValue'] = (value, args, call, act, callee) =>
    this.calls.callValue(value, args, call, act, callee);
  readonly invoke: Follower['invoke'] = (fn, args, act, frame) => this.invocations.invoke(fn, args, act, frame);
  readonly invokeAt: Follower['invokeAt'] = (fn, args, frame, depth) =>
    this.invocations.invokeAt(fn, args, frame, depth);
  readonly block: Follower['block'] = (statements, act) => this.statements.block(statements, act);
  readonly moduleScope: Follower['moduleScope'] = (module) => this.imports.moduleScope(module);
  readonly nextFrame: Follower['nextFrame'] = (act, span) => this.frames.nextFrame(act, span);
}

/** Follows a program along its stack, from the outermost frame to the watched line. */
export function followPath(program: Program): void {
  const { machine, frames } = program;
  const [first] = machine.path;
  machine.entered.add(0);
  if (first.name === '<module>') {
    const scope = new Scope(first.module, null);
    machine.scopes.set(first.module, scope);
    const act: Activation = { scope, def: null, frame: 0, returned: [], depth: 0, context: null };
    program.block(first.module.body, act);
  } else {
    const fn = frames.frameFunction(0);
    if (fn === null) return;
    const self = fn.owner === null ? null : newInstance(fn.owner, '', []).value;
    // Its callers are not known: it runs repeatedly, or nothing would grow.
    for (let round = 0; round < ROUNDS; round++) {
      machine.inLoop(OUTSIDE, () => {
        program.invokeAt({ ...fn, self }, [], 0, 0);
      });
    }
  }
  runHooks(program);
}

/** Functions that are followed at most. */
const MAX_HOOKS = 30;

/** Interprets registered hooks, inside the loops of the watched line. */
function runHooks(follower: Program): void {
  const { machine, frames } = follower;
  if (machine.watchedLoops === null) return;
  const { watchedLoops } = machine;
  const modules = new Map<FunctionObject, FlowNode>();
  const run = (fn: FunctionObject): void => {
    const count = fn.def.params.length - (fn.self === null ? 0 : 1) - fn.partial.length;
    const args = Array.from({ length: Math.max(0, count) }, (_, i): ArgumentValue => {
      // The module itself comes first, and is not a new memory.
      const isModule = i === 0 && count > 1;
      const node = (isModule ? modules.get(fn) : undefined) ?? new FlowNode(2);
      if (isModule) modules.set(fn, node);
      else node.allocated = 2;
      return { name: null, star: '', value: valueOf(node), span: fn.def };
    });
    follower.invokeAt(fn, args, null, DEEPEST_OFF_PATH - 1);
  };
  // Functions on the stack were interpreted with their real arguments.
  const onPath = new Set(machine.path.map((_, index) => frames.frameFunction(index)?.def));
  const hooks = machine.hooks
    .flatMap(({ functions }) => functions)
    .filter(({ def }) => !onPath.has(def))
    .slice(0, MAX_HOOKS);
  for (let round = 0; round < ROUNDS; round++) {
    machine.inRoundsOf(watchedLoops, () => {
      for (const fn of hooks) run(fn);
    });
  }
}
