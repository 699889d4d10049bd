import type { Category } from '../attribution/categories.js';
import type { Bytes } from '../model/units.js';
import { say } from '../text/say.js';
import type { Doubt } from './doubt.js';
import type { LineReport, RunReport } from './report.js';

/**
 * Steps of growth that accuse a line: fewer may be those of a buffer that is not full yet; by how much the source
 * leaves in doubt; `unread` where none was to be had.
 */
const PATIENT_STEPS = { none: 0, slight: 30, unread: 30, some: 70, strong: 200 };
/** The same in snapshots, where no trace shows how long memory lived. */
const PATIENT_SNAPSHOTS = { none: 4, slight: 6, unread: 6, some: 8, strong: 20 };
/** So few blocks that grow without becoming more may as well be those of ever longer inputs. */
const FEW_BLOCKS = 2;
/** A network that is made to grow does so less often than on one of so many steps. */
const SELDOM = 4;
/** What optimizers are called. */
const OPTIMIZER = /(?:^|[._])opt(?:im|imizer)?s?(?:_|$)/i;
/** An optimizer's state takes no more of the parameters' bytes: two moments and the weights, in twice their precision. */
const MOST_STATE = 8;

/**
 * Takes back accusations that rest on too little: nobody is known who keeps the memory, or one who may stop by himself,
 * and it has not grown for long.
 * @param lines of the run, those that may be waited with
 * @param doubts what the source says for those whose source was read
 */
export function waitForProof(
  run: RunReport,
  lines: readonly LineReport[],
  doubts: ReadonlyMap<LineReport, Doubt>,
): void {
  // What state is for is judged before the state.
  const isState = ({ category }: LineReport): boolean => category === 'optimizerState';
  for (const line of [...lines].sort((a, b) => Number(isState(a)) - Number(isState(b)))) {
    const doubt = doubts.get(line) ?? null;
    if (line.verdict !== 'leak') continue;
    if (!isProved(line, run, patienceWith(line, run, doubt)))
      retract(
        line,
        isGrowingNetwork(line, run)
          ? say('Layers added to a network on purpose look the same.')
          : (doubt?.reason ?? ''),
      );
    else if (doubt === null && line.bound === null) sayUnread(line);
  }
}

type Patience = keyof typeof PATIENT_STEPS;

function isProved({ evidence, holder, bound, category }: LineReport, run: RunReport, patience: Patience): boolean {
  if (evidence === null) return true;
  // One parameter after the other is trained for the first time.
  if (category === 'optimizerState' && isStateOfParameters(run)) return false;
  // A buffer it is, and it will not fit: there is nothing to wait for.
  if (bound?.fits === false) return true;
  const isFew = evidence.survivors <= FEW_BLOCKS;
  if (isFew && (holder === null || (holder.source === 'recorder' && holder.fix === null))) return false;
  const asked = isFew && patience === 'none' ? 'slight' : patience;
  if (evidence.from === 'snapshots') return run.snapshots.length >= PATIENT_SNAPSHOTS[asked];
  return asked === 'none' || Math.min(evidence.steps, mostSteps(run)) >= PATIENT_STEPS[asked];
}

/** True if all state of optimizers may be that of the parameters there are, and these do not leak. */
function isStateOfParameters({ categories, lines }: RunReport): boolean {
  const live = (name: Category): Bytes => categories.find(({ category }) => category === name)?.liveBytes ?? 0;
  const leaks = lines.some(({ category, verdict }) => category === 'parameters' && verdict === 'leak');
  return !leaks && live('optimizerState') <= MOST_STATE * live('parameters');
}

/**
 * True of weights that come now and then: layers are added to a network, or a head for each task. Not if the source shows
 * a container that they are put in, other than what trains them.
 */
function isGrowingNetwork({ category, evidence, holder }: LineReport, { snapshots }: RunReport): boolean {
  if (category !== 'parameters' || evidence === null) return false;
  if (holder?.fix != null && !OPTIMIZER.test(holder.name)) return false;
  if (evidence.from === 'lifetimes') return SELDOM * evidence.birthSteps < evidence.steps;
  return evidence.survivors < (snapshots.at(-1)?.step ?? Number.POSITIVE_INFINITY);
}

/** A rhythm may be that of parts of a step: with few snapshots the steps in their names say how many there were at most. */
function mostSteps({ steps, order, snapshots }: RunReport): number {
  if (steps !== 'period' || snapshots.length >= PATIENT_SNAPSHOTS.unread) return Number.POSITIVE_INFINITY;
  return order === 'steps' ? (snapshots[snapshots.length - 1].step ?? 0) : 0;
}

/**
 * How long a line is waited with. The recorder sees a list, but not what takes things out of it: the source must agree.
 * An optimizer's state ends with the parameters, and a network that is made to grow is not told from one that leaks.
 */
function patienceWith(line: LineReport, run: RunReport, doubt: Doubt | null): Patience {
  const { holder, category } = line;
  if (doubt === null) return 'unread';
  if (isGrowingNetwork(line, run)) return 'strong';
  if (doubt.strength !== 'none') return doubt.strength;
  const isHeld = holder !== null && (holder.source !== 'recorder' || holder.fix !== null);
  return isHeld && category !== 'optimizerState' ? 'none' : 'slight';
}

/** Who reads the verdict is to know what it does not rest on. */
function sayUnread(line: LineReport): void {
  if (line.evidence === null || line.evidence.steps >= PATIENT_STEPS.strong) return;
  const reason = `${line.evidence.reason} ${say('The source that ran was not read: a buffer that is not full yet looks the same.')}`;
  line.evidence = { ...line.evidence, reason };
}

/** @param why a sentence for the evidence, or nothing */
function retract(line: LineReport, why: string): void {
  line.verdict = 'growing';
  line.leakedBytes = 0;
  for (const stack of line.stacks) if (stack.verdict === 'leak') stack.verdict = 'growing';
  if (line.evidence === null) return;
  const sentences = [
    line.evidence.reason,
    ...(why === '' ? [] : [why]),
    say('Too early to tell a buffer that fills up from a leak.'),
  ];
  line.evidence = { ...line.evidence, reason: sentences.join(' ') };
}
