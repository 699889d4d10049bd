import { getOrAdd } from '../maps.js';
import { NO_INDEX } from '../model/snapshot.js';
import type { Bytes } from '../model/units.js';
import { endOfEarlier } from './alignTraces.js';
import { traceStepOf } from './runNames.js';
import { countUpTo } from '../model/ascending.js';
import type { DigestLifetimes, SnapshotDigest } from '../digest/digest.js';
import type { DigestFrame } from '../model/digestFrame.js';
import { binStepsOf, LifeSums, type Life } from '../attribution/categories/lifetimes.js';
import { stepSource } from '../digest/digestFacts.js';
import { stackKey, type StackKey } from '../digest/stackKey.js';
import { UNKNOWN, type TraceSpan } from '../digest/traceSpan.js';

/** Lifetimes of one stack over all traces of a run. */
export interface JoinedLifetimes {
  key: StackKey;
  lifetimes: DigestLifetimes;
}

/** The traces of a run's dumps as one history. */
export interface JoinedTraces {
  stacks: JoinedLifetimes[];
  /** The step at the end of each snapshot's trace, null for those without. */
  at: (number | null)[];
  /** Places where one trace ended before the next began. Survivors are matched there by address, size and stack. */
  gaps: number;
}

/** Maximum number of steps up to the end of a gap: what a file says of more is not believed. */
const MAX_STEPS = 1_000_000;

interface JoinedLife extends Life {
  key: StackKey;
  site: DigestFrame | null;
  /** The ordinal of the allocation in the joined history; null for memory older than the first trace. */
  order: number | null;
}

/**
 * Joins the traces of a run that begin at different events, each device separately: each event counts once. Traces that
 * count other steps than the last one are left out, with all before them: of a loop, the recorder's first trace has
 * rounds that it did not count yet.
 * @returns null if there is nothing to join
 */
export function joinTraces(snapshots: readonly SnapshotDigest[]): JoinedTraces | null {
  const sources = snapshots.map(stepSource);
  const source = sources.findLast((one) => one !== null) ?? null;
  if (source === null) return null;
  const from = sources.findLastIndex((one) => one !== null && one !== source) + 1;
  const traced = snapshots.filter((_, i) => i >= from && sources[i] !== null);
  if (traced.length < 2) return null;
  const last = traced[traced.length - 1];
  const stacks: JoinedLifetimes[] = [];
  let gaps = 0;
  const { joins } = joinedSoFar(traced);
  for (const { device } of last.spans) {
    const join = joins.get(device);
    if (join === undefined) continue;
    gaps += join.gaps;
    stacks.push(...join.lifetimes(last.steps?.isSure === true));
  }
  const ends = joins.get(last.steps?.device ?? -1)?.ends ?? [];
  let place = 0;
  const at = sources.map((one, i) => (i < from || one === null ? null : (ends[place++] ?? null)));
  return { stacks, at, gaps };
}

/** The joined first snapshots of a run, to which the next one is added. */
interface Joined {
  readonly traced: SnapshotDigest[];
  readonly joins: Map<number, DeviceJoin>;
}

/** Joined traces by the first dump. */
const known = new WeakMap<SnapshotDigest, Joined>();

function joinedSoFar(traced: readonly SnapshotDigest[]): Joined {
  let joined = known.get(traced[0]);
  if (joined?.traced.every((digest, i) => digest === traced[i]) !== true) {
    joined = { traced: [], joins: new Map() };
    known.set(traced[0], joined);
  }
  for (const digest of traced.slice(joined.traced.length)) {
    const place = joined.traced.push(digest) - 1;
    for (const span of digest.spans) {
      const join = getOrAdd(joined.joins, span.device, () => new DeviceJoin(span.device));
      join.add(digest, span);
      join.ends[place] = join.steps;
    }
  }
  return joined;
}

class DeviceJoin {
  steps = 0;
  gaps = 0;
  /** Steps at the end of each dump, by its place; none of those without a trace of the device. */
  readonly ends: (number | undefined)[] = [];
  private readonly sums = new Map<StackKey, LifeSums<JoinedLife>>();
  /** Lives that count so far. */
  private counted = 0;
  /** Allocations that are live at the end of the traces so far. */
  private readonly open = new Map<Address, JoinedLife>();
  /** First and last steps of gaps, with the steps beside them, of which a trace shows a part. */
  private readonly unseen: (readonly [first: number, last: number])[] = [];
  private before: { digest: SnapshotDigest; span: TraceSpan } | null = null;

  constructor(private readonly device: number) {}

  add(digest: SnapshotDigest, span: TraceSpan): void {
    const end = this.before === null ? 0 : endOfEarlier(this.before.span, span);
    const joined = this.before === null || (end !== null && end >= span.since);
    const from = joined ? (end ?? 0) : 0;
    if (this.before === null) this.remember(digest);
    else if (!joined) this.crossGap(digest);
    for (const sums of this.sums.values()) sums.settle(this.steps);
    const stepOf = this.stepsFrom(span, from);
    const { lives } = span;
    for (let row = 0; row < lives.count; row++) {
      const birth = lives.birth[row];
      const death = lives.death[row];
      const freed = death < span.events;
      const address = addressOf(lives, row);
      if (freed && birth < from) {
        // Allocated in an earlier trace; memory from before the first is unknown.
        const life = this.open.get(address);
        if (death < from || life === undefined) continue;
        this.open.delete(address);
        this.end(life, stepOf(death), lives.bytes[row], this.siteOf(span, row));
      } else if (birth >= from && lives.stack[row] !== UNKNOWN) {
        const stack = span.stacks[lives.stack[row]];
        const life: JoinedLife = {
          key: stackKey(digest, stack),
          birth: stepOf(birth),
          death: freed ? stepOf(death) : null,
          bytes: lives.bytes[row],
          site: freed ? this.siteOf(span, row) : null,
          order: this.counted++,
        };
        this.count(life);
        if (!freed) this.open.set(address, life);
      }
    }
    this.before = { digest, span };
    // Blocks decide for each snapshot: memory without a block is gone, also if the traces have it as live.
    const { blocks } = digest;
    this.endOthers(new Set(this.rowsOf(blocks, false).map((one) => addressOf(blocks, one))));
  }

  lifetimes(areStepsSure: boolean): JoinedLifetimes[] {
    return [...this.sums].flatMap(([key, sums]) => {
      if (sums.isEmpty) return [];
      const { drops, ...summary } = sums.summary(this.steps, this.unseen);
      return {
        key,
        lifetimes: {
          ...summary,
          steps: this.steps,
          areStepsSure,
          binSteps: binStepsOf(this.steps),
          drops: drops.map(({ step, bytes, first }) => ({
            step,
            bytes,
            site: first.site,
          })),
        },
      };
    });
  }

  /** Numbers the steps from an ordinal on, after the earlier ones; an event's step is the last one begun. */
  private stepsFrom(span: TraceSpan, from: number): (ordinal: number) => number {
    const base = this.steps;
    const starts = span.starts.filter((start) => start >= from);
    this.steps += starts.length;
    return (ordinal) => base + countUpTo(starts, ordinal);
  }

  private siteOf(span: TraceSpan, row: number): DigestFrame | null {
    return span.lives.site[row] === UNKNOWN ? null : span.sites[span.lives.site[row]];
  }

  /** Lives within one step are not summed up. */
  private count(life: JoinedLife): void {
    if (life.order === null || (life.death !== null && life.death <= life.birth)) return;
    getOrAdd(this.sums, life.key, () => new LifeSums<JoinedLife>()).add(life, life.order);
  }

  private end(life: JoinedLife, death: number, bytes = life.bytes, site = life.site): void {
    if (life.order !== null) this.sums.get(life.key)?.remove(life);
    this.count({ ...life, death, bytes, site });
  }

  /** Memory older than the first trace is known, so that no gap allocates it, but not counted. */
  private remember(digest: SnapshotDigest): void {
    const { blocks } = digest;
    for (const row of this.rowsOf(blocks, true)) {
      const stack = digest.groups[blocks.group[row]];
      this.open.set(addressOf(blocks, row), {
        key: stackKey(digest, stack),
        birth: 0,
        death: null,
        bytes: blocks.size[row],
        site: null,
        order: null,
      });
    }
  }

  /**
   * Across a gap, a block of equal address, size and stack is the same. Missing blocks were freed in the gap, new ones
   * allocated, and those of one stack evenly over its steps: all in one step would look like memory that becomes rarer.
   */
  private crossGap(digest: SnapshotDigest): void {
    this.gaps++;
    const before = this.steps;
    // Memory from before a gap counts as one step older after it, for a gap of any length.
    const missing = Math.max(1, Math.min(this.missingSteps(digest), MAX_STEPS - before));
    this.steps += missing;
    this.unseen.push([before, this.steps + 1]);
    const { blocks } = digest;
    const there = new Set<Address>();
    const added = new Map<StackKey, { address: Address; bytes: Bytes }[]>();
    for (const row of this.rowsOf(blocks, true)) {
      const group = digest.groups[blocks.group[row]];
      const [key, bytes] = [stackKey(digest, group), blocks.size[row]];
      const address = addressOf(blocks, row);
      there.add(address);
      const life = this.open.get(address);
      if (life?.key === key && life.bytes === bytes) continue;
      if (life !== undefined) this.end(life, this.steps);
      this.open.delete(address);
      // Memory without a stack is from before the recording: it has no line, and no birth.
      if (group.frames.length + group.forwardFrames.length > 0) getOrAdd(added, key, () => []).push({ address, bytes });
    }
    for (const [key, rows] of added) {
      for (const [i, { address, bytes }] of rows.entries()) {
        const birth = before + Math.ceil((missing * (i + 1)) / rows.length);
        const life: JoinedLife = { key, bytes, birth, death: null, site: null, order: this.counted++ };
        this.count(life);
        this.open.set(address, life);
      }
    }
    const span = digest.spans.find((candidate) => candidate.device === this.device);
    // A block that is freed later in the trace was there, too.
    for (let row = 0; row < (span?.lives.count ?? 0); row++) {
      if (span !== undefined && span.lives.birth[row] < 0) there.add(addressOf(span.lives, row));
    }
    this.endOthers(there);
  }

  /** Steps that no trace shows: by the recorder, else by the names of the snapshots, but no more than there was time for. */
  private missingSteps({ recording, path, spans }: SnapshotDigest): number {
    const span = spans.find((one) => one.device === this.device);
    const before = this.before;
    if (before === null || span === undefined) return 0;
    const seen = span.starts.length;
    const then = before.digest.recording?.step ?? null;
    if (recording?.step != null && then !== null) return recording.step - then - seen;
    const [named, namedBefore] = [path, before.digest.path].map(traceStepOf);
    if (named === null || namedBefore === null) return 0;
    return Math.min(named - namedBefore - seen, stepsInTime(before.span.startsUs, span.startsUs));
  }

  /** Rows of the device's blocks. @param isOlder true for only those that the trace does not allocate */
  private rowsOf({ count, device, birth }: SnapshotDigest['blocks'], isOlder: boolean): number[] {
    const rows: number[] = [];
    for (let row = 0; row < count; row++)
      if (device[row] === this.device && (!isOlder || birth[row] === NO_INDEX)) rows.push(row);
    return rows;
  }

  /** Ends all open lives but those at these addresses. */
  private endOthers(there: ReadonlySet<Address>): void {
    for (const [address, life] of this.open) {
      if (there.has(address)) continue;
      this.open.delete(address);
      this.end(life, this.steps);
    }
  }
}

/** Steps for which there is time between two traces, if each takes as long as those of the later one; 0 if unknown. */
function stepsInTime(before: Float64Array | null, after: Float64Array | null): number {
  const [end, from, to] = [before?.at(-1), after?.at(0), after?.at(-1)];
  if (after === null || end === undefined || from === undefined || to === undefined || to <= from) return 0;
  const meanUs = (to - from) / (after.length - 1);
  return Math.round((from - end) / meanUs) - 1;
}

/** A number wherever it is exact: half of joining is looking addresses up. */
type Address = number | string;

const TWO_32 = 4294967296;

function addressOf(rows: { readonly addrHigh: Uint32Array; readonly addrLow: Uint32Array }, row: number): Address {
  const address = rows.addrHigh[row] * TWO_32 + rows.addrLow[row];
  return address <= Number.MAX_SAFE_INTEGER ? address : `${rows.addrHigh[row]}/${rows.addrLow[row]}`;
}
