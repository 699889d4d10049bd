import { getOrAdd } from '../maps.js';
import type { DigestLifetimes, SnapshotDigest } from '../digest/digest.js';
import type { FileLookup } from '../attribution/owner.js';
import type { Chance, Place } from '../facts/evidence.js';
import { limit } from './thresholds.js';

/** Counts of an event by snapshot: null if unknown. */
type Counts = readonly (number | null)[];

/** How often loops repeated and releases ran, as the recorder counted them or the trace's frees show. */
export class ChanceCounts {
  /** Steps at whose end a release had freed memory of any stack, by place. */
  private readonly frees = new Map<string, number[]>();
  /** The step of each snapshot, null without the recorder's count. */
  private readonly steps: Counts;
  /** The loops of the last snapshot, with their rounds in each snapshot; null if not counted. */
  private readonly counted:
    | readonly { readonly place: Place; readonly rounds: number; readonly counts: Counts }[]
    | null;
  /** Loops around the loop of the steps whose repetitions cannot be counted. */
  readonly uncounted: readonly Place[];
  /** The runs of releases in each snapshot, by place. */
  private readonly runs: readonly ReadonlyMap<string, number>[];

  constructor(
    snapshots: readonly SnapshotDigest[],
    lookup: FileLookup,
    stacks: readonly { readonly lifetimes: DigestLifetimes | null }[],
  ) {
    for (const { lifetimes } of stacks) {
      for (const { site, step } of lifetimes?.drops ?? []) {
        if (site === null || lifetimes === null) continue;
        getOrAdd(this.frees, `${lookup(site.file) ?? site.file}:${site.line}`, () => []).push(step / lifetimes.steps);
      }
    }
    this.steps = snapshots.map(({ recording }) => recording?.step ?? null);
    // If two loops begin on one line, the outer one counts: it comes first.
    const rounds = snapshots.map(({ recording }) => {
      const loops = recording?.chances.loops ?? [];
      return new Map(loops.map((loop) => [`${loop.file}:${loop.line}`, loop.rounds] as const).toReversed());
    });
    const last = snapshots.at(-1)?.recording?.chances.loops ?? null;
    this.counted =
      last?.flatMap(({ file, line, rounds: times, isStepLoop }) =>
        times === null || isStepLoop
          ? []
          : [
              {
                place: { file: lookup(file) ?? file, line },
                rounds: times,
                counts: rounds.map((known) => known.get(`${file}:${line}`) ?? null),
              },
            ],
      ) ?? null;
    this.uncounted = (last ?? []).flatMap(({ file, line, rounds: times, isStepLoop }) =>
      times === null && !isStepLoop ? [{ file: lookup(file) ?? file, line }] : [],
    );
    this.runs = snapshots.map(({ recording }) => {
      const releases = recording?.chances.releases ?? [];
      return new Map(releases.map(({ file, line, runs }) => [`${lookup(file)}:${line}`, runs] as const).toReversed());
    });
  }

  /** How often each loop around the loop of the steps has repeated since a step; null if not counted. */
  roundsSince(step: number): { readonly place: Place; readonly rounds: number }[] | null {
    const from = this.steps.findIndex((at) => at !== null && at >= step);
    return (
      this.counted?.map(({ place, rounds, counts }) => ({
        place,
        rounds: rounds - (from < 0 ? 0 : (counts[from] ?? 0)),
      })) ?? null
    );
  }

  /**
   * The counted loops around the loop of the steps; null if not counted.
   * @param births when blocks that are live at the end were allocated, as shares of the run
   */
  loops(births: readonly number[]): Chance[] | null {
    return (
      this.counted?.map(({ place, rounds, counts }) => ({
        kind: 'loop',
        state: this.hasPassed(counts, births) ? 'passed' : 'pending',
        place,
        times: rounds,
      })) ?? null
    );
  }

  /**
   * The result of a release in the source; null if the recorder did not watch it.
   * @param births as for `loops`
   */
  release({ file, line }: Place, births: readonly number[]): Chance | null {
    const counts = this.runs.map((runs) => runs.get(`${file}:${line}`) ?? null);
    const times = counts.at(-1) ?? null;
    if (times === null) return this.freed({ file, line }, births);
    const state = this.hasPassed(counts, births) ? 'passed' : 'pending';
    return { kind: 'release', state, place: { file, line }, times };
  }

  /** Chances by the frees in the trace: those at the statement, of whatever memory. */
  private freed(place: Place, births: readonly number[]): Chance | null {
    const shares = new Set(this.frees.get(`${place.file}:${place.line}`));
    if (shares.size === 0) return null;
    const isLeft = liveShare(births, Math.max(...shares)) >= limit('stillLive');
    return { kind: 'release', state: isLeft ? 'passed' : 'pending', place, times: shares.size };
  }

  /** True if it ran between two observations, and older memory is live at the end. */
  private hasPassed(counts: Counts, births: readonly number[]): boolean {
    const last = this.steps.at(-1) ?? 0;
    let from = 0;
    let before = 0;
    for (const [i, count] of counts.entries()) {
      const to = this.steps[i];
      if (count === null || to === null) continue;
      const came = count - before;
      // The first of several rounds was over before the last one came.
      const sure = came >= 2 ? from + (to - from) / (came + 1) : from;
      if (came > 0 && sure > 0 && liveShare(births, sure / last) >= limit('stillLive')) return true;
      from = to;
      before = count;
    }
    return false;
  }
}

/** The live share, 0 to 1, of allocations up to a moment, which is a share of the run: 1 for all. */
function liveShare(births: readonly number[], moment: number): number {
  return births.length === 0 ? 0 : births.filter((birth) => birth <= moment).length / (births.length * moment);
}
