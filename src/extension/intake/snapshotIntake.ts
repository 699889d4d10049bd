import { getOrAdd } from '../../core/maps.js';
import type { SnapshotReport } from '../../core/report/report.js';
import { t } from '../../core/text/translate.js';
import { reasonOf } from '../../protocol/rpc.js';
import { sentenceOf } from '../text/fileSentence.js';
import type { IntakeEntry, IntakeOrigin, MutableEntry } from './intakeEntry.js';
import {
  sameStamp,
  type Clock,
  type FileStamp,
  type IntakeFiles,
  type IntakeReader,
  type ReadProblem,
} from './ports.js';

/** Time between two looks at a file, in milliseconds. */
const POLL_MS = 100;
/** Consecutive equal looks after which a file counts as stable. */
const QUIET_LOOKS = 2;
/** A file untouched for this long has settled before anybody looked. A hint only: the reader proves completeness. */
const OLD_MS = 2_000;
/** Files that are checked at the same time. */
const LOOKS_AT_ONCE = 32;
/** Truncated files are read again after 200 ms, 400 ms … up to this. */
const MAX_BACKOFF_MS = 5_000;
/** After this many truncated readings of an unchanged file, only a change triggers another one. */
const MAX_ATTEMPTS = 12;
/** Maximum number of extra readings of an unchanged file: the clock of its file system may be coarse. */
const UNCHANGED_READINGS = 2;

const PICKLE_PROTO = 0x80;
const PICKLE_STOP = 0x2e;

interface Waiter {
  resolve: (snapshots: readonly SnapshotReport[]) => void;
  reject: (problem: ReadProblem) => void;
}

/**
 * Reads files when they are complete: found → stable → last byte → read → ready, or truncated (tried again), or
 * rejected (until the file changes). PyTorch writes snapshots in place, so an incomplete file is normal.
 */
export class SnapshotIntake {
  private readonly files = new Map<string, MutableEntry>();
  private readonly waiters = new Map<string, Waiter[]>();
  private cancelPoll: (() => void) | null = null;
  /** Time of the next poll. */
  private pollAt = Infinity;
  private polling = false;
  /** Includes files that were removed since, or that are being read. */
  private queue: MutableEntry[] = [];
  private isSorted = true;
  /** Files being read. */
  private reading = 0;
  /** Files whose last bytes are being read. */
  private judging = 0;
  private disposed = false;

  /**
   * @param readAtOnce files that are read at the same time
   * @param changed called after each change of an entry; `content` is true if the readings changed
   */
  constructor(
    private readonly disk: IntakeFiles,
    private readonly clock: Clock,
    private readonly reader: IntakeReader,
    private readonly readAtOnce: number,
    private readonly changed: (content: boolean) => void,
  ) {}

  get entries(): IterableIterator<IntakeEntry> {
    return this.files.values();
  }

  /** True while a file is being read, is queued, or has not been checked. */
  get busy(): boolean {
    if (this.reading > 0 || this.judging > 0) return true;
    for (const { phase, settling } of this.files.values()) {
      if (phase === 'queued' || (phase === 'settling' && settling?.stamp === null)) return true;
    }
    return false;
  }

  /** The file appeared, changed or disappeared: checks it. */
  noticed(path: string, origin: IntakeOrigin = 'discovered'): void {
    if (this.disposed) return;
    const entry = getOrAdd(this.files, path, (): MutableEntry => ({
      path,
      origin,
      phase: 'settling',
      snapshots: null,
      problem: null,
      fraction: 0,
      settling: null,
      readStamp: null,
      attempts: 0,
    }));
    if (origin === 'opened') entry.origin = 'opened';
    entry.settling = { stamp: entry.settling?.stamp ?? null, quiet: 0, dueAt: this.clock.now() };
    this.schedulePoll(entry.settling.dueAt);
  }

  /** Adds a file that the user named. @throws a {@link ReadProblem} as the reason of the rejection */
  open(path: string): Promise<readonly SnapshotReport[]> {
    const entry = this.files.get(path);
    if (entry?.phase === 'rejected') entry.readStamp = null; // requested again: tried again
    return new Promise((resolve, reject) => {
      getOrAdd(this.waiters, path, () => []).push({ resolve, reject });
      this.noticed(path, 'opened');
    });
  }

  /** Share of a file read so far, 0 to 1. */
  progress(path: string, fraction: number): void {
    const entry = this.files.get(path);
    if (entry?.phase !== 'reading') return;
    entry.fraction = fraction;
    this.changed(false);
  }

  /** Drops one file; a later change brings it back. */
  async forget(path: string): Promise<void> {
    const entry = this.files.get(path);
    if (entry === undefined) return;
    await this.drop(entry);
  }

  /** Drops everything. */
  async clear(): Promise<void> {
    await Promise.all([...this.files.values()].map((entry) => this.drop(entry)));
  }

  dispose(): void {
    this.disposed = true;
    this.cancelPoll?.();
    for (const path of [...this.waiters.keys()]) this.settle(path, cleared());
  }

  /** @param due when a file has to be checked */
  private schedulePoll(due: number): void {
    if (this.polling || this.disposed || due >= this.pollAt) return;
    this.cancelPoll?.();
    this.pollAt = due;
    this.cancelPoll = this.clock.after(Math.max(0, due - this.clock.now()), () => {
      this.cancelPoll = null;
      void this.poll();
    });
  }

  private async poll(): Promise<void> {
    this.polling = true;
    this.pollAt = Infinity;
    const now = this.clock.now();
    const due = [...this.files.values()].filter((entry) => entry.settling !== null && entry.settling.dueAt <= now);
    for (let from = 0; from < due.length; from += LOOKS_AT_ONCE) {
      await Promise.all(due.slice(from, from + LOOKS_AT_ONCE).map((entry) => this.look(entry)));
    }
    this.polling = false;
    let next = Infinity;
    for (const { settling } of this.files.values()) if (settling !== null) next = Math.min(next, settling.dueAt);
    this.schedulePoll(next);
    this.readNext();
  }

  /** One look at a file that may have changed. */
  private async look(entry: MutableEntry): Promise<void> {
    const before = entry.settling;
    const stamp = await this.disk.stamp(entry.path);
    const settling = entry.settling;
    if (settling === null || this.files.get(entry.path) !== entry) return;
    if (stamp === undefined) {
      settling.dueAt = this.clock.now() + MAX_BACKOFF_MS;
      return;
    }
    if (stamp === null) {
      const message = t('The file does not exist or is not readable.');
      await this.drop(entry, { reason: 'unreadable', message });
      return;
    }
    const same = sameStamp(settling.stamp, stamp) && settling === before;
    settling.quiet = same ? settling.quiet + 1 : 0;
    settling.stamp = stamp;
    const age = this.clock.now() - stamp.mtimeMs;
    if (settling.quiet < QUIET_LOOKS && age < OLD_MS) {
      settling.dueAt = this.clock.now() + POLL_MS;
      return;
    }
    if (entry.phase === 'reading') {
      settling.dueAt = this.clock.now() + POLL_MS; // when the reading is done
      return;
    }
    await this.settled(entry, stamp);
  }

  /** The file is stable: checks whether to read it. */
  private async settled(entry: MutableEntry, stamp: FileStamp): Promise<void> {
    const unchanged = sameStamp(entry.readStamp, stamp);
    if (!unchanged) entry.attempts = 0;
    if (unchanged && (entry.phase === 'ready' || entry.phase === 'rejected')) {
      entry.settling = null;
      this.answer(entry);
      return;
    }
    if (unchanged && entry.attempts > UNCHANGED_READINGS) {
      this.comeBack(entry, stamp);
      this.answer(entry);
      return;
    }
    this.judging++;
    const complete = await this.looksComplete(entry.path, stamp.size).finally(() => {
      this.judging--;
    });
    if (!complete) {
      if (this.files.get(entry.path) === entry)
        this.truncated(entry, stamp, t('This file is still being written, or is truncated.'));
      return;
    }
    if (this.files.get(entry.path) !== entry) return;
    entry.settling = null;
    entry.readStamp = stamp;
    this.enqueue(entry);
  }

  /** A complete pickle ends in STOP; the reader checks other formats. */
  private async looksComplete(path: string, size: number): Promise<boolean> {
    if (size === 0) return false;
    const ends = await this.disk.ends(path, size);
    if (ends === undefined) return false;
    return ends?.first !== PICKLE_PROTO || ends.last === PICKLE_STOP;
  }

  private enqueue(entry: MutableEntry): void {
    entry.phase = 'queued';
    this.queue.push(entry);
    this.isSorted = false;
    this.changed(false);
  }

  private nextQueued(): MutableEntry | null {
    if (!this.isSorted) this.queue.sort((a, b) => (a.readStamp?.mtimeMs ?? 0) - (b.readStamp?.mtimeMs ?? 0));
    this.isSorted = true;
    for (let entry = this.queue.pop(); entry !== undefined; entry = this.queue.pop())
      if (entry.phase === 'queued' && this.files.get(entry.path) === entry) return entry;
    return null;
  }

  /** Reads the queue, newest file first, so that the current run comes before old ones. */
  private readNext(): void {
    while (this.reading < this.readAtOnce && !this.disposed) {
      const entry = this.nextQueued();
      if (entry === null) break;
      this.reading++;
      void this.read(entry).finally(() => {
        this.reading--;
        this.readNext();
      });
    }
  }

  private async read(entry: MutableEntry): Promise<void> {
    entry.phase = 'reading';
    entry.fraction = 0;
    entry.problem = null;
    this.changed(false);
    const stamp = entry.readStamp;
    try {
      const snapshots = await this.reader.load(entry.path);
      if (this.files.get(entry.path) !== entry) {
        await this.reader.unload(entry.path).catch(() => undefined);
        return;
      }
      entry.phase = 'ready';
      entry.snapshots = snapshots;
      entry.attempts = 0;
      await this.lookForOverwrite(entry, stamp);
      this.changed(true);
      this.answer(entry);
    } catch (error) {
      if (this.files.get(entry.path) !== entry) return;
      const problem = problemOf(error);
      if (problem.reason === 'closed' && entry.attempts === 0) {
        // The reader crashed, perhaps because of another file: try once more with a new one.
        entry.attempts++;
        this.enqueue(entry);
        return;
      }
      if (problem.reason === 'truncated' && stamp !== null) this.truncated(entry, stamp, problem.message);
      else this.rejected(entry, problem);
    }
  }

  /** A file that changed during reading is read once more when it is stable. */
  private async lookForOverwrite(entry: MutableEntry, before: FileStamp | null): Promise<void> {
    const after = await this.disk.stamp(entry.path);
    if (!sameStamp(before, after)) this.noticed(entry.path, entry.origin);
  }

  private truncated(entry: MutableEntry, stamp: FileStamp, message: string): void {
    entry.phase = 'truncated';
    entry.problem = { reason: 'truncated', message };
    entry.readStamp = stamp;
    this.comeBack(entry, stamp);
    this.changed(false);
    this.answer(entry);
  }

  private comeBack(entry: MutableEntry, stamp: FileStamp): void {
    entry.attempts++;
    const wait = Math.min(MAX_BACKOFF_MS, POLL_MS * 2 ** entry.attempts);
    entry.settling =
      entry.attempts > MAX_ATTEMPTS ? null : { stamp, quiet: QUIET_LOOKS, dueAt: this.clock.now() + wait };
    if (entry.settling !== null) this.schedulePoll(entry.settling.dueAt);
  }

  private rejected(entry: MutableEntry, problem: ReadProblem): void {
    const hadReading = entry.snapshots !== null;
    entry.phase = 'rejected';
    entry.problem = problem;
    entry.snapshots = null;
    if (hadReading) void this.reader.unload(entry.path).catch(() => undefined);
    this.changed(hadReading);
    this.answer(entry);
  }

  /** @param problem for callers that wait for the file */
  private async drop(entry: MutableEntry, problem = cleared()): Promise<void> {
    const hadReading = entry.snapshots !== null;
    this.files.delete(entry.path);
    this.settle(entry.path, problem);
    if (hadReading) await this.reader.unload(entry.path).catch(() => undefined);
    this.changed(hadReading);
  }

  /** Settles the promises of callers that wait for a file. */
  private answer(entry: MutableEntry): void {
    if (entry.phase === 'ready' && entry.snapshots !== null) this.settle(entry.path, entry.snapshots);
    else if (entry.problem !== null) this.settle(entry.path, entry.problem);
  }

  private settle(path: string, outcome: readonly SnapshotReport[] | ReadProblem): void {
    const waiters = this.waiters.get(path) ?? [];
    this.waiters.delete(path);
    for (const waiter of waiters) {
      if ('reason' in outcome) waiter.reject(outcome);
      else waiter.resolve(outcome);
    }
  }
}

function cleared(): ReadProblem {
  return { reason: 'cancelled', message: t('The results were cleared.') };
}

function problemOf(error: unknown): ReadProblem {
  return { reason: reasonOf(error), message: sentenceOf(error) };
}
