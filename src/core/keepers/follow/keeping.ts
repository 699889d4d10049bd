import type { Expression, Span } from '../../python/ast.js';
import type { Keeper, KeeperKind } from '../keeper.js';
import { keepIn } from '../values/parts.js';
import { ERROR, type Container, type Value } from '../values/things.js';
import type { Activation } from './activation.js';
import type { Machine } from './machine.js';
import { attributeName, sourceText } from './sourceText.js';

/** Notes that a value is put somewhere. */
export function putIn(
  machine: Machine,
  containers: readonly Container[],
  value: Value,
  receiver: Expression,
  span: Span | null,
  statement: Span,
  act: Activation,
  guessed: boolean,
): void {
  for (const container of containers) keepIn(container, value);
  const isError = value.things.some((thing) => thing.kind === 'instance' && thing.library === ERROR);
  const targets: (Container | null)[] = containers.length === 0 ? [null] : [...containers];
  for (const container of targets) {
    noteKeeper(machine, isError ? 'error' : 'put', act, statement, {
      holder: sourceText(act.scope.module, receiver),
      kept: span === null ? '' : sourceText(act.scope.module, span),
      keptSpan: span,
      value,
      container,
      attribute: attributeName(receiver),
      most: container?.most ?? roomIn(machine, sourceText(act.scope.module, receiver)),
      guessed,
    });
    if (container !== null) {
      for (const to of value.things) {
        machine.references.push({
          from: container,
          to,
          place: { module: act.scope.module, span: statement },
          text: sourceText(act.scope.module, receiver),
        });
      }
    }
  }
}

/** Notes a statement that keeps a value. */
export function noteKeeper(
  machine: Machine,
  kind: KeeperKind,
  act: Activation,
  span: Span,
  facts: Pick<Keeper, 'holder' | 'kept' | 'keptSpan' | 'value' | 'container' | 'attribute' | 'most' | 'guessed'>,
): Keeper {
  const keeper: Keeper = {
    kind,
    place: { module: act.scope.module, span },
    loops: machine.loops,
    every: machine.everyRound,
    ...facts,
  };
  machine.keepers.push(keeper);
  return keeper;
}

/** How much a container takes, by the tests around. */
function roomIn(machine: Machine, holder: string): string | null {
  return machine.measured.find(({ container, room }) => container === holder && room !== null)?.room ?? null;
}
