/** A report without repetitions of the previous one: in a long run, few parts differ. */
import { ownerKey } from '../core/attribution/owner.js';
import type { LineReport, Report, RunReport } from '../core/report/report.js';

/** The parts of a report that repeat the previous one. */
export type Repeated = readonly RepeatedRun[];

interface RepeatedRun {
  /** The run's place in the report before, -1 if it is new. */
  readonly run: number;
  /** So many of its snapshots come first. */
  readonly snapshots: number;
  readonly lines: readonly RepeatedLine[];
}

interface RepeatedLine {
  /** The line's place in the run before, -1 if it is new. */
  readonly line: number;
  /** So many values of its series come first. */
  readonly values: number;
}

/** Omits repeated parts. Snapshots are equal if they are one object. */
export function withoutRepeated(report: Report, before: Report): { report: Report; repeated: Repeated } {
  const places = new Map(before.runs.map(({ id }, place) => [id, place]));
  const repeated = report.runs.map((run): RepeatedRun => {
    const place = places.get(run.id) ?? -1;
    const old = before.runs.at(place);
    if (place === -1 || old === undefined) return { run: -1, snapshots: 0, lines: run.lines.map(() => NEW_LINE) };
    const lines = new Map(old.lines.map((line, at) => [ownerKey(line), at]));
    return {
      run: place,
      snapshots: alike(run.snapshots, old.snapshots),
      lines: run.lines.map((line): RepeatedLine => {
        const at = lines.get(ownerKey(line));
        return at === undefined ? NEW_LINE : { line: at, values: alikeValues(line.series, old.lines[at].series) };
      }),
    };
  });
  const runs = report.runs.map((run, i): RunReport => {
    const { snapshots, lines } = repeated[i];
    return {
      ...run,
      snapshots: run.snapshots.slice(snapshots),
      lines: run.lines.map((line, at): LineReport => ({ ...line, series: line.series.slice(lines[at].values) })),
    };
  });
  return { report: { ...report, runs }, repeated };
}

/** The whole report again. */
export function withRepeated(report: Report, repeated: Repeated, before: Report): Report {
  const runs = report.runs.map((run, i): RunReport => {
    const { run: place, snapshots, lines } = repeated[i];
    if (place === -1) return run;
    const old = before.runs[place];
    return {
      ...run,
      snapshots: [...old.snapshots.slice(0, snapshots), ...run.snapshots],
      lines: run.lines.map((line, at): LineReport => {
        const { line: same, values } = lines[at];
        return same === -1 ? line : { ...line, series: old.lines[same].series.slice(0, values).concat(line.series) };
      }),
    };
  });
  return { ...report, runs };
}

const NEW_LINE: RepeatedLine = { line: -1, values: 0 };

/** How many items two lists begin with alike. */
function alike(a: readonly object[], b: readonly object[]): number {
  const most = Math.min(a.length, b.length);
  for (let i = 0; i < most; i++) if (a[i] !== b[i]) return i;
  return most;
}

/** The same of numbers, in a function of its own: one that compares both kinds takes twenty times as long. */
function alikeValues(a: readonly number[], b: readonly number[]): number {
  const most = Math.min(a.length, b.length);
  for (let i = 0; i < most; i++) if (a[i] !== b[i]) return i;
  return most;
}
