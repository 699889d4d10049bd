import type { Expression, Span } from '../../python/ast.js';
import type { Holding, HoldingKind } from '../records.js';
import { type Container, ERROR, type Value, addTo } from '../values/objects.js';
import type { Activation, Machine } from './machine.js';
import { homeOf, sourceText } from './sourceText.js';

/** A value that is put somewhere. */
interface Put {
  readonly value: Value;
  /** The container of the value. */
  readonly receiver: Expression;
  /** The expression that is put. */
  readonly span: Span | null;
  readonly statement: Span;
  /** Null where it is added. */
  readonly key?: Value | null;
  /** True if the receiver is not known to be a container. */
  readonly guessed?: boolean;
}

/** Notes that a value is put somewhere. */
export function putIn(
  machine: Machine,
  containers: readonly Container[],
  act: Activation,
  { value, receiver, span, statement, key = null, guessed = false }: Put,
): void {
  for (const container of containers) addTo(container, value);
  const error = errorIn(value, span);
  const targets: (Container | null)[] = containers.length === 0 ? [null] : [...containers];
  const { module } = act.scope;
  const named = homeOf(module, receiver);
  const ring = key?.known?.kind === 'below' ? key.known.limit : null;
  for (const container of targets) {
    const home = receiver.kind === 'name' && container?.kind === 'container' ? container.home : null;
    const own = container?.max ?? null;
    const tested = own === null && ring === null ? machine.testedLimit(named.holder) : null;
    const kind = container?.type === 'metric' ? 'metric' : error === null ? 'put' : 'error';
    noteHolding(machine, kind, act, statement, {
      ...(home ?? named),
      held: span === null ? '' : sourceText(module, error ?? span),
      heldSpan: error ?? span,
      value,
      container,
      max: own ?? ring ?? tested,
      maxBy: own !== null ? 'length' : ring !== null ? 'ring' : tested !== null ? 'test' : null,
      key,
      guessed,
    });
    if (container === null) continue;
    for (const to of value.objects) {
      machine.references.push({ from: container, to, place: { module, span: statement }, text: named.holder });
    }
  }
}

/** The expression of an error that is put, alone or in a tuple; null for any other value. */
function errorIn(value: Value, span: Span | Expression | null): Span | null {
  if (isError(value)) return span;
  if (span === null || !('kind' in span) || span.kind !== 'display') return null;
  const at = value.items?.findIndex(isError) ?? -1;
  return at < 0 ? null : span.items[at];
}

function isError({ objects }: Value): boolean {
  return objects.some((object) => object.kind === 'instance' && object.library === ERROR);
}

/** Facts of a statement that holds a value; omitted ones are absent. */
type Facts = Pick<Holding, 'holder' | 'value'> & Partial<Holding>;

/** A statement that holds a value, here and now. */
export function holdingAt(machine: Machine, kind: HoldingKind, act: Activation, span: Span, facts: Facts): Holding {
  return {
    kind,
    place: { module: act.scope.module, span },
    loops: machine.loops,
    held: '',
    heldSpan: null,
    container: null,
    attribute: null,
    max: null,
    maxBy: null,
    key: null,
    guessed: false,
    ...facts,
  };
}

/** Notes a statement that holds a value. */
export function noteHolding(machine: Machine, kind: HoldingKind, act: Activation, span: Span, facts: Facts): void {
  machine.holdings.push(holdingAt(machine, kind, act, span, facts));
}
