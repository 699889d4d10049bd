import type { Expression, FunctionDef, Statement } from '../../python/ast.js';
import type { PythonModule } from '../../python/pythonModule.js';
import { roomOf } from '../values/known.js';
import { classAttribute } from '../values/parts.js';
import { Scope, valueOf, type FunctionThing, type Instance, type Thing, type Value } from '../values/things.js';
import type { Activation } from './activation.js';
import { isCountingAttribute, isCountingName, type Guarded } from './counters.js';
import { Part } from './follower.js';
import { lengthTests, type Outcome, type Returned, type TestReader } from './lengthTests.js';
import type { Measured } from './machine.js';
import { sourceText } from './sourceText.js';

/** The statement that tests, and what runs where the test came out as it must. */
interface Tested {
  readonly statement: Statement;
  readonly body: readonly Statement[];
}

/** Methods that a test asks, inside of methods that a test asks. */
const DEEPEST = 3;

/** What tests around blocks ask of the length of containers, and of what counts their items. */
export class TestedLengths extends Part {
  told(test: Expression, outcome: Outcome, act: Activation, { statement, body }: Tested): Measured[] {
    const { loops } = this.machine;
    const { def, scope } = act;
    const around = def === null ? scope.module.body : def.kind === 'lambda' ? [] : def.body;
    const guarded = { module: scope.module, around, test: statement, body, loops: loops.length };
    const found = lengthTests(
      test,
      outcome,
      this.readerOf(act, guarded, (text) => text, 0),
    );
    return found.map((one) => ({ ...one, depth: loops.length }));
  }

  /** @param named how the function that tests calls what the reader's function calls so */
  private readerOf(act: Activation, guarded: Guarded, named: (text: string) => string, depth: number): TestReader {
    const text = (one: Expression): string => named(sourceText(act.scope.module, one));
    const inside = (fn: FunctionThing & { def: FunctionDef }, receiver: Expression, self: Value): TestReader => {
      const scope = new Scope(fn.module, fn.scope);
      const own = fn.def.params[0]?.name ?? '';
      scope.names.set(own, self);
      const start = new RegExp(`^${own}(?=\\.)`);
      const outer = text(receiver);
      return this.readerOf(
        { ...act, scope, def: fn.def, frame: null },
        guarded,
        (inner) => inner.replace(start, () => outer),
        depth + 1,
      );
    };
    const member = (receiver: Expression, name: string, isProperty: boolean): Returned | null => {
      if (depth >= DEEPEST || (receiver.kind !== 'name' && receiver.kind !== 'attribute')) return null;
      const self = this.follower.evaluate(receiver, act);
      for (const thing of self.things) {
        const fn = thing.kind === 'instance' ? methodOf(thing, name) : null;
        const expression = fn === null || isDecorated(fn) !== isProperty ? null : returnedBy(fn.def);
        if (fn === null || expression === null) continue;
        return { expression, reader: inside(fn, receiver, valueOf(self.node, [thing])) };
      }
      return null;
    };
    return {
      text,
      room: (one) => roomOf(this.follower.evaluate(one, act), text(one)),
      returned: (one) => {
        if (one.kind === 'attribute') return member(one.value, one.name, true);
        if (one.kind !== 'call' || one.args.length > 0 || one.callee.kind !== 'attribute') return null;
        return member(one.callee.value, one.callee.name, false);
      },
      length: (object) => member(object, '__len__', false),
      isCounter: (one) => {
        if (one.kind === 'attribute') return isCountingAttribute(one.name, guarded, this.files);
        return one.kind === 'name' && depth === 0 && isCountingName(one.name, guarded);
      },
    };
  }

  private get files(): readonly PythonModule[] {
    return this.machine.sources.read;
  }
}

function methodOf({ cls }: Instance, name: string): (FunctionThing & { def: FunctionDef }) | null {
  const [fn] = ((cls === null ? undefined : classAttribute(cls, name))?.things ?? []) as (Thing | undefined)[];
  if (fn?.kind !== 'function') return null;
  const { def } = fn;
  return def.kind === 'function' ? { ...fn, def } : null;
}

function isDecorated({ def }: { readonly def: FunctionDef }): boolean {
  return def.decorators.length > 0;
}

/** What a function gives that does nothing else; its first statement may be a text that describes it. */
function returnedBy({ body }: FunctionDef): Expression | null {
  const [first] = body as (Statement | undefined)[];
  const rest = first?.kind === 'expression' && first.value.kind === 'literal' ? body.slice(1) : body;
  return rest.length === 1 && rest[0].kind === 'return' ? rest[0].value : null;
}
