/** A report without repetitions of the previous one: in a long run, few parts differ. */
import { ownerKey } from '../core/attribution/owner.js';
import { sharing } from '../core/model/equal.js';
import type { LineReport, Report, RunReport, SnapshotReport } from '../core/report/report.js';

/** The parts of a report that repeat the previous one. */
export type Repeated = readonly RepeatedRun[];

interface RepeatedRun {
  /** The run's place in the report before, -1 if it is new. */
  readonly run: number;
  /** Number of its first snapshots. */
  readonly snapshots: number;
  /** The place of each line in the run before, -1 if it is new. The start of its series is repeated. */
  readonly lines: readonly number[];
}

type Series = LineReport['series'];

/** Returns a report whose fields of lines are the objects of an earlier report, if they are equal. */
export function sharingLines(report: Report, before: Report): Report {
  const runs = new Map(before.runs.map(({ id, lines }) => [id, lines]));
  return {
    ...report,
    runs: report.runs.map((run): RunReport => {
      const old = new Map(runs.get(run.id)?.map((line) => [ownerKey(line), line]));
      return {
        ...run,
        lines: run.lines.map((line) => {
          const known = old.get(ownerKey(line));
          return known === undefined ? line : sharing(line, known);
        }),
      };
    }),
  };
}

/**
 * Omits repeated parts, also fields of lines, although their type requires them. Snapshots and fields are equal if they
 * are one object.
 */
export function withoutRepeated(report: Report, before: Report): { report: Report; repeated: Repeated } {
  const places = new Map(before.runs.map(({ id }, place) => [id, place]));
  const repeated = report.runs.map((run): RepeatedRun => {
    const place = places.get(run.id) ?? -1;
    const old = before.runs.at(place);
    if (place === -1 || old === undefined) return { run: -1, snapshots: 0, lines: run.lines.map(() => -1) };
    const lines = new Map(old.lines.map((line, at) => [ownerKey(line), at]));
    return {
      run: place,
      snapshots: alike(run.snapshots, old.snapshots),
      lines: run.lines.map((line) => lines.get(ownerKey(line)) ?? -1),
    };
  });
  const runs = report.runs.map((run, i): RunReport => {
    const { run: place, snapshots, lines } = repeated[i];
    const tailOf = forEach((series, old) => series.slice(alikeValues(series, old)));
    return {
      ...run,
      snapshots: run.snapshots.slice(snapshots),
      lines: run.lines.map((line, at): LineReport => {
        if (lines[at] === -1) return line;
        const old = before.runs[place].lines[lines[at]];
        return { ...otherFields(line, old), series: tailOf(line.series, old.series) };
      }),
    };
  });
  return { report: { ...report, runs }, repeated };
}

/** The complete report. */
export function withRepeated(report: Report, repeated: Repeated, before: Report): Report {
  const runs = report.runs.map((run, i): RunReport => {
    const { run: place, snapshots: same, lines } = repeated[i];
    if (place === -1) return run;
    const old = before.runs[place];
    const last = old.snapshots[old.snapshots.length - 1];
    const fresh = run.snapshots.map((one) => sharing(withoutRoom(one), last));
    const snapshots = [...old.snapshots.slice(0, same), ...fresh];
    const wholeOf = forEach((tail, series) => series.slice(0, snapshots.length - tail.length).concat(tail));
    return {
      ...run,
      snapshots,
      lines: run.lines.map((line, at): LineReport => {
        if (lines[at] === -1) return line;
        const known = old.lines[lines[at]];
        return { ...known, ...line, series: wholeOf(line.series, known.series) };
      }),
    };
  });
  return { ...report, runs };
}

/** A list from another thread has room for 16 items. */
function withoutRoom({ devices, warnings, ...rest }: SnapshotReport): SnapshotReport {
  return { ...rest, devices: [...devices], warnings: [...warnings] };
}

/** How many items two lists begin with alike. */
function alike(a: readonly object[], b: readonly object[]): number {
  const common = Math.min(a.length, b.length);
  for (let i = 0; i < common; i++) if (a[i] !== b[i]) return i;
  return common;
}

/** Returns the number of equal values at the start. One function for texts and numbers takes twenty times as long. */
function alikeValues(a: Series, b: Series): number {
  const most = Math.min(a.length, b.length);
  for (let i = 0; i < most; i++) if (a[i] !== b[i]) return i;
  return most;
}

/** Makes one series for each pair: lines without memory share theirs. */
function forEach(make: (series: Series, old: Series) => Series): typeof make {
  const made = new Map<Series, { old: Series; outcome: Series }>();
  return (series, old) => {
    let found = made.get(series);
    if (found?.old !== old) {
      found = { old, outcome: make(series, old) };
      made.set(series, found);
    }
    return found.outcome;
  };
}

type Fields = Record<string, unknown>;

/** Fields that differ from those of `before`. */
function otherFields(line: LineReport, before: LineReport): LineReport {
  const [now, then] = [line, before] as unknown as Fields[];
  const others: Fields = {};
  for (const name in now) if (now[name] !== then[name]) others[name] = now[name];
  return others as unknown as LineReport;
}
