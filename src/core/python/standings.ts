import type { Statement } from './ast.js';
import { bodiesOf } from './pythonModule.js';

/** The place of a statement. */
export interface Standing {
  readonly statement: Statement;
  /** The blocks around it, outermost first. */
  readonly blocks: readonly (readonly Statement[])[];
  /** The statements around it. */
  readonly outer: readonly Statement[];
}

/** Standings by block, because blocks are requested repeatedly. */
const known = new WeakMap<readonly Statement[], readonly Standing[]>();

/** All statements of a block and of those inside it. */
export function standings(block: readonly Statement[]): readonly Standing[] {
  const found = known.get(block) ?? standingsIn(block, [], []);
  known.set(block, found);
  return found;
}

export function isLoop({ kind }: Statement): boolean {
  return kind === 'for' || kind === 'while';
}

function standingsIn(block: readonly Statement[], blocks: Standing['blocks'], outer: Standing['outer']): Standing[] {
  const own = [...blocks, block];
  return block.flatMap((statement) => [
    { statement, blocks: own, outer },
    ...bodiesOf(statement).flatMap((body) => standingsIn(body, own, [...outer, statement])),
  ]);
}
