/** The budget in the ignore file: how much may leak, and how high the peak may be. The command line checks it, in English. */
import * as v from 'valibot';
import { PINNED_HOST, type Bytes } from '../model/units.js';
import { byteText, countText, parseBytes } from '../text/numberText.js';
import { plural } from '../text/plural.js';
import { findingsOf } from './findings.js';
import { documentOf, IgnoreFileError, type IgnoredLeak, leakOf, MAX_ENTRIES, names } from './ignoredLeaks.js';
import { sum } from './lineSelection.js';
import type { LineReport, OverBudget, Report, RunReport } from './report.js';
import { areSteps } from './reportText.js';
import { fileAndLine } from '../text/pathText.js';

/** The workspace's limits; null for no limit. */
export interface Budget {
  /** Maximum growth of all leaks of a run that no entry of `lines` names. */
  readonly leakBytesPerStep: Bytes | null;
  /** Maximum peak of each device. */
  readonly peakBytes: Bytes | null;
  /** Lines, or all lines of a file, with a budget of their own. The first entry that names a line counts. */
  readonly lines: readonly LineBudget[];
}

interface LineBudget {
  readonly file: string;
  /** Null for the whole file. */
  readonly leak: IgnoredLeak | null;
  readonly leakBytesPerStep: Bytes;
}

export const NO_BUDGET: Budget = { leakBytesPerStep: null, peakBytes: null, lines: [] };

const NO_SIZE = 'is not a size, such as "18 GiB"';
const size = v.pipe(
  v.unknown(),
  v.transform((value) => (typeof value === 'string' ? parseBytes(value) : value)),
  v.pipe(v.number(NO_SIZE), v.safeInteger(NO_SIZE), v.minValue(0, NO_SIZE)),
);
const complaint = ({ expected }: v.BaseIssue<unknown>): string =>
  expected === 'never' ? 'is not known' : expected === 'Object' ? 'is not an object' : 'is missing';
/** Strict: a misspelt budget would allow everything. */
const budgetSchema = v.strictObject(
  {
    leakBytesPerStep: v.optional(size),
    peakBytes: v.optional(size),
    lines: v.optional(
      v.pipe(
        v.array(v.unknown(), 'is not a list'),
        v.maxLength(MAX_ENTRIES, `has more than ${MAX_ENTRIES} entries`),
        v.array(v.looseObject({ file: v.string('is not a path'), leakBytesPerStep: size }, complaint)),
      ),
      [],
    ),
  },
  complaint,
);

/** Reads the budget of an ignore file. @throws IgnoreFileError */
export function parseBudget(text: string): Budget {
  const { success, output, issues } = v.safeParse(budgetSchema, documentOf(text)['budget'] ?? {});
  if (!success) {
    const [issue] = issues;
    throw new IgnoreFileError(`"${['budget', v.getDotPath(issue)].filter(Boolean).join('.')}" ${issue.message}`);
  }
  const { leakBytesPerStep = null, peakBytes = null, lines } = output;
  return {
    leakBytesPerStep,
    peakBytes,
    lines: lines.map((entry, i) => {
      const isFile = ['function', 'statement', 'line'].every((key) => !(key in entry));
      return {
        file: entry.file,
        leak: isFile ? null : leakOf(entry, 'lines', i),
        leakBytesPerStep: entry.leakBytesPerStep,
      };
    }),
  };
}

/** Exceeded amounts: for several runs with the same one, the worst. Ignored leaks do not count. */
export function overBudget({ runs }: Report, { leakBytesPerStep, peakBytes, lines }: Budget): OverBudget[] {
  const ownBudget = (line: LineReport): LineBudget | null => lines.find((one) => isNamed(line, one)) ?? null;
  // A job of one rank needs no number for it.
  const named = runs.length > 1 ? runs : runs.map((run) => ({ ...run, rank: null }));
  const leaks = named.map((run) => {
    const byBudget = new Map<LineBudget | null, LineReport[]>();
    for (const line of run.lines.filter(({ verdict, ignored }) => verdict === 'leak' && !ignored)) {
      const budget = ownBudget(line);
      byBudget.set(budget, [...(byBudget.get(budget) ?? []), line]);
    }
    return { run, byBudget };
  });
  const overRates = [
    { of: null, allowed: leakBytesPerStep },
    ...lines.map((of) => ({ of, allowed: of.leakBytesPerStep })),
  ].map(({ of, allowed }) =>
    leaks.map(({ run, byBudget }) => {
      const own = byBudget.get(of);
      return allowed === null || own === undefined ? null : overRate(run, own, allowed);
    }),
  );
  const overPeaks = named.map((run) => (peakBytes === null ? null : overPeak(run, peakBytes)));
  return [...overRates, overPeaks].flatMap((over) =>
    over
      .filter((one) => one !== null)
      .sort((a, b) => (b.measuredBytes ?? Infinity) - (a.measuredBytes ?? Infinity))
      .slice(0, 1),
  );
}

function isNamed(line: LineReport, { file, leak }: LineBudget): boolean {
  return leak === null ? line.mapped && line.file === file : names(leak, line);
}

/** A leak whose rate per step is not known exceeds every budget but an unlimited one: nothing shows that it fits. */
function overRate({ rank, steps }: RunReport, leaks: readonly LineReport[], allowed: Bytes): OverBudget | null {
  const isKnown = areSteps(steps) && leaks.every(({ bytesPerStep }) => bytesPerStep !== null);
  const measured = isKnown ? Math.round(sum(leaks, ({ bytesPerStep }) => bytesPerStep ?? 0)) : null;
  if (measured !== null && measured <= allowed) return null;
  const findings = findingsOf(leaks);
  const [{ file, line }] = findings;
  const place =
    fileAndLine({ file, line }) + (findings.length === 1 ? '' : ` and ${plural(findings.length - 1, 'other')}`);
  const [is, may] = apart(measured ?? sum(leaks, ({ leakedBytes }) => leakedBytes), allowed);
  const amount = measured === null ? `${is} so far at an unknown rate` : `${is}/step`;
  const leak = findings.length === 1 ? 'leaks' : 'leak';
  return {
    at: { file, line },
    measuredBytes: measured,
    allowedBytes: allowed,
    message: `${place} ${leak} ${amount}${onRank(rank)}; the budget is ${may}/step.`,
  };
}

/** The highest live bytes of a device, in traces and in snapshots. */
function overPeak({ rank, peaks, snapshots }: RunReport, allowed: Bytes): OverBudget | null {
  const points = [
    ...peaks.map(({ device, liveBytes, at }) => ({ device, liveBytes, at })),
    ...snapshots.flatMap(({ devices }) => devices.map(({ device, liveBytes }) => ({ device, liveBytes, at: null }))),
  ];
  const highest = points
    .filter(({ device }) => device !== PINNED_HOST)
    .sort((a, b) => b.liveBytes - a.liveBytes)
    .at(0);
  if (highest === undefined || highest.liveBytes <= allowed) return null;
  const { device, liveBytes, at } = highest;
  const [is, may] = apart(liveBytes, allowed);
  const where = at === null ? '' : ` at ${fileAndLine(at)}`;
  return {
    at: at === null ? null : { file: at.file, line: at.line },
    measuredBytes: liveBytes,
    allowedBytes: allowed,
    message: `Device ${device} reaches ${is}${where}${onRank(rank)}; the budget is ${may}.`,
  };
}

function onRank(rank: number | null): string {
  return rank === null ? '' : ` on rank ${rank}`;
}

/** Two amounts in words that differ. */
function apart(a: Bytes, b: Bytes): [string, string] {
  const short = [byteText(a), byteText(b)] as const;
  return short[0] === short[1] ? [`${countText(a)} B`, `${countText(b)} B`] : [...short];
}
