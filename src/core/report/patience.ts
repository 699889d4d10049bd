import type { Category } from '../analysis/categories.js';
import type { Bytes } from '../model/units.js';
import { say } from '../text/say.js';
import type { HolderReport, LineReport, RunReport } from './report.js';

/** Steps of growth that accuse a line by themselves: fewer may be those of a buffer that is not full yet. */
const PATIENT_STEPS = 30;
/** The same in snapshots, where no trace shows how long memory lived; and if it is known who keeps it. */
const PATIENT_SNAPSHOTS = { alone: 6, held: 4 };
/** So few blocks that grow without becoming more may as well be those of ever longer inputs. */
const FEW_BLOCKS = 2;
/** An optimizer's state takes no more of the parameters' bytes: two moments and the weights, in twice their precision. */
const MOST_STATE = 8;
/** What is kept under a key is replaced when the key comes again: it is full once all keys have come. */
const KEYED = /\]\s*=(?!=)|\.setdefault\s*\(/;

/**
 * Takes back accusations that rest on too little: nobody is known who keeps the memory, or one who may stop by himself,
 * and it has not grown for long.
 * @param lines of the run, those that may be waited with
 * @param lineText the text of a line, null where it cannot be had
 */
export function waitForProof(
  run: RunReport,
  lines: readonly LineReport[],
  lineText: (file: string, line: number) => string | null,
): void {
  for (const line of lines) {
    if (line.verdict === 'leak' && !isProved(line, run, isHeld(line, lineText))) retract(line);
  }
}

function isProved({ evidence, holder, bound, category }: LineReport, run: RunReport, isHeld: boolean): boolean {
  if (evidence === null) return true;
  // One parameter after the other is trained for the first time.
  if (category === 'optimizerState' && isStateOfParameters(run)) return false;
  // A buffer it is, and it will not fit: there is nothing to wait for.
  if (bound?.fits === false) return true;
  const isFew = evidence.survivors <= FEW_BLOCKS;
  if (isFew && holder === null) return false;
  if (evidence.from === 'snapshots') {
    return run.snapshots.length >= (isHeld && !isFew ? PATIENT_SNAPSHOTS.held : PATIENT_SNAPSHOTS.alone);
  }
  if (isHeld && !isFew) return true;
  return Math.min(evidence.steps, mostSteps(run)) >= PATIENT_STEPS;
}

/** True if all state of optimizers may be that of the parameters there are, and these do not become more. */
function isStateOfParameters({ categories, lines, snapshots }: RunReport): boolean {
  const live = (name: Category): Bytes => categories.find(({ category }) => category === name)?.liveBytes ?? 0;
  const middle = snapshots.length >> 1;
  const grows = lines.some(
    ({ category, series }) => category === 'parameters' && series[middle] < series[series.length - 1],
  );
  return !grows && live('optimizerState') <= MOST_STATE * live('parameters');
}

/** A rhythm may be that of parts of a step: with few snapshots the steps in their names say how many there were at most. */
function mostSteps({ steps, order, snapshots }: RunReport): number {
  if (steps !== 'period' || snapshots.length >= PATIENT_SNAPSHOTS.alone) return Number.POSITIVE_INFINITY;
  return order === 'steps' ? (snapshots[snapshots.length - 1].step ?? 0) : 0;
}

/**
 * True if it is known who keeps the memory, and the source shows nothing that ends it. The recorder sees a list, but not
 * what takes things out of it: the source must agree. An optimizer's state ends with the parameters.
 */
function isHeld({ holder, category }: LineReport, lineText: (file: string, line: number) => string | null): boolean {
  if (holder === null || category === 'optimizerState') return false;
  return (holder.source !== 'recorder' || holder.fix !== null) && !isKeyed(holder, lineText);
}

function isKeyed({ file, line }: HolderReport, lineText: (file: string, line: number) => string | null): boolean {
  const text = lineText(file, line);
  return text === null || KEYED.test(text);
}

function retract(line: LineReport): void {
  line.verdict = 'filling';
  line.leakedBytes = 0;
  for (const stack of line.stacks) if (stack.verdict === 'leak') stack.verdict = 'filling';
  if (line.evidence === null) return;
  const reason = `${line.evidence.reason} ${say('Too early to tell a buffer that fills up from a leak.')}`;
  line.evidence = { ...line.evidence, reason };
}
