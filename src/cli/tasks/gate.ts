/** What keeps a check from passing, beyond the verdicts that it names: it never passes over what it did not see. */
import type { Budget } from '../../core/report/budget.js';
import type { CompareReport, Report, RunReport } from '../../core/report/report.js';
import { limit } from '../../core/verdict/thresholds.js';
import { plural } from '../../core/text/plural.js';
import type { AnalyzeArguments } from '../arguments.js';

/** What a command checks. */
export interface Gate {
  /** True if anything can fail the command. */
  readonly isSet: boolean;
  /** True if verdicts of lines or of a process can. */
  readonly judges: boolean;
}

export function gateOf({ failOn }: AnalyzeArguments, { leakBytesPerStep, peakBytes, lines }: Budget): Gate {
  const hasRate = leakBytesPerStep !== null || lines.length > 0;
  return {
    isSet: failOn.length > 0 || hasRate || peakBytes !== null,
    judges: hasRate || failOn.some((what) => what !== 'incomplete' && what !== 'oom'),
  };
}

/** True if the report has what a check fails on, or exceeds a budget. */
export function isFailed({ runs, overBudget, missing, failed }: Report, failOn: AnalyzeArguments['failOn']): boolean {
  if (overBudget.length > 0) return true;
  if (failOn.includes('incomplete') && missing.length + failed.length > 0) return true;
  return runs.some(
    ({ lines, process }) =>
      lines.some(({ verdict, ignored }) => !ignored && failOn.includes(verdict)) ||
      process.some(({ verdict }) => failOn.includes(verdict)),
  );
}

/**
 * Why a report has nothing to judge, as a sentence; null if it has.
 * @param report without regard to ignored lines, which are judged too
 * @param root null for no workspace
 */
export function unjudgedText({ runs }: Report, root: string | null): string | null {
  if (runs.length === 0) return `Nothing was judged: no input is a snapshot. ${RECORD}`;
  const judged = new Set(runs.filter((run) => !isShort(run)).flatMap(({ job }) => job ?? []));
  // The recorder can limit full snapshots to some ranks of a job.
  const short = runs.find((run) => isShort(run) && !(isLight(run) && run.job !== null && judged.has(run.job)));
  if (short !== undefined) {
    const seen = `${plural(short.snapshots.length, 'snapshot')}${isLight(short) ? ' without a trace' : ''}`;
    return `${short.id} was not judged: ${seen} cannot show a leak. ${RECORD}`;
  }
  const bare = runs.find(({ lines }) => lines.length === 0);
  if (bare !== undefined)
    return `${bare.id} was not judged: no stack names a line. Record with torch.cuda.memory._record_memory_history(stacks="python").`;
  return unreadText(
    runs.flatMap(({ lines }) => lines),
    root,
  );
}

/** Why a comparison does not answer whether a change leaks; null if it does. */
export function unansweredText({ fix, lines }: CompareReport, root: string | null): string | null {
  if (fix?.answer === 'cannotTell') return `The comparison has no answer. ${fix.why}`;
  // A leak that lifetimes prove is compared by its rate.
  return fix !== null && fix.lines.length > 0 ? null : unreadText(lines, root);
}

/** Where memory ran out, as a sentence; null for nowhere. @param inputs that show it */
export function ranOutText(inputs: readonly { readonly path: string }[]): string | null {
  return inputs.length === 0
    ? null
    : `${inputs[0].path}: memory ran out, which fails every check. The report shows what held it.`;
}

const RECORD = `Record at least ${limit('minSnapshots')} snapshots, or one with a trace of at least 15 steps.`;

function isShort({ verdict }: RunReport): boolean {
  return verdict === 'tooShort';
}

function isLight({ snapshots }: RunReport): boolean {
  return snapshots.every(({ events }) => events === 0);
}

/** A sentence if sources are missing: without them, a leak is growth that nothing confirms. */
function unreadText(lines: readonly { readonly mapped: boolean }[], root: string | null): string | null {
  if (lines.some(({ mapped }) => mapped)) return null;
  const where = root === null ? 'No --root is given' : `No recorded file is below ${root}`;
  return `${where}, so no source was read and no line was judged. Pass --root with the folder of the code, or --map FROM=TO.`;
}
