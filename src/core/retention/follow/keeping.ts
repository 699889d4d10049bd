import type { Expression, Span } from '../../python/ast.js';
import type { Keeper, KeeperKind } from '../keeper.js';
import { keepIn } from '../values/parts.js';
import { ERROR, type Container, type Value } from '../values/things.js';
import type { Activation } from './activation.js';
import type { Machine } from './machine.js';
import { attributeName, sourceText } from './sourceText.js';

/** A value that is put somewhere. */
export interface Put {
  readonly value: Value;
  /** What it is put in. */
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
  for (const container of containers) keepIn(container, value);
  const isError = value.things.some((thing) => thing.kind === 'instance' && thing.library === ERROR);
  const targets: (Container | null)[] = containers.length === 0 ? [null] : [...containers];
  const { module } = act.scope;
  const holder = sourceText(module, receiver);
  const ring = key?.known?.kind === 'below' ? key.known.room : null;
  for (const container of targets) {
    const own = container?.most ?? null;
    const tested = own === null && ring === null ? machine.roomIn(holder) : null;
    noteKeeper(machine, isError ? 'error' : 'put', act, statement, {
      holder,
      kept: span === null ? '' : sourceText(module, span),
      keptSpan: span,
      value,
      container,
      attribute: attributeName(receiver),
      most: own ?? ring ?? tested,
      mostBy: own !== null ? 'length' : ring !== null ? 'ring' : tested !== null ? 'test' : null,
      key,
      guessed,
    });
    if (container === null) continue;
    for (const to of value.things) {
      machine.references.push({ from: container, to, place: { module, span: statement }, text: holder });
    }
  }
}

/** Notes a statement that keeps a value. */
export function noteKeeper(
  machine: Machine,
  kind: KeeperKind,
  act: Activation,
  span: Span,
  facts: Omit<Keeper, 'kind' | 'place' | 'loops' | 'every' | 'key'> & Partial<Pick<Keeper, 'key'>>,
): Keeper {
  const keeper: Keeper = {
    kind,
    place: { module: act.scope.module, span },
    loops: machine.loops,
    every: machine.everyRound,
    key: null,
    ...facts,
  };
  machine.keepers.push(keeper);
  return keeper;
}
