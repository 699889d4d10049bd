import type { Report } from '../../core/report/report.js';
import type { Bytes } from '../../core/model/units.js';
import type { Thread } from '../../node/thread.js';
import { isRpcMessage, RpcClient, RpcError } from '../../protocol/rpc.js';
import { withRepeated } from '../../protocol/reportCode.js';
import type { SentResult, WorkerApi, WorkerEvents, WorkspaceListing } from '../../protocol/workerApi.js';
import type { Clock } from '../intake/ports.js';
import { t } from '../../core/text/translate.js';

/** Number of crashes after which the worker stays stopped until `revive`. */
const MAX_ENDS = 3;
/** Older crashes do not count, in milliseconds. */
const FORGIVEN_AFTER_MS = 10 * 60_000;
/** Time limit of a report, in milliseconds. */
const REPORT_MS = 10 * 60_000;

/** Events of the engine. */
interface EngineListener {
  progress(progress: WorkerEvents['progress']): void;
  /** The worker ended. If `again`, a new one reads the snapshots again. */
  ended(message: string, again: boolean): void;
  /** Called after a restart: all snapshots are read again, except `lost`. */
  restored(lost: readonly string[]): void;
}

interface Running {
  thread: Thread;
  client: RpcClient<WorkerApi, WorkerEvents>;
}

/**
 * Calls to the worker, which starts with the first one. A crash fails open calls. A new worker reads the same
 * snapshots, without the file that caused the crash. After {@link MAX_ENDS} crashes, none starts until `revive`.
 */
export class AnalysisEngine {
  private running: Running | null = null;
  private readonly loaded = new Set<string>();
  /** Bytes of the files that are in no report yet. */
  private readonly unproven = new Map<string, Bytes>();
  /** The running worker's last report: the next one omits repeated parts. */
  private lastReport: SentResult | null = null;
  /** Pending reports. */
  private reports = 0;
  private listing: WorkspaceListing | null = null;
  private ends: number[] = [];
  /** Files whose reports crashed workers, not yet shown to the user. */
  private readonly suspects: string[] = [];
  /** Settles when the snapshots of an ended worker are read again; calls wait for it. */
  private restoring: Promise<void> = Promise.resolve();
  private disposed = false;

  constructor(
    private readonly start: () => Thread,
    private readonly clock: Clock,
    private readonly listener: EngineListener,
  ) {}

  /** Calls the worker. @throws RpcError with its reason, `cancelled`, or `closed` if it is down */
  async call<Name extends keyof WorkerApi>(
    method: Name,
    params: WorkerApi[Name]['params'],
    signal?: AbortSignal,
  ): Promise<WorkerApi[Name]['result']> {
    // After too many crashes, the next call that may start a worker restores the files.
    if (this.running === null && this.loaded.size > 0 && this.mayStart) this.restoring = this.restore();
    await this.restoring;
    return await this.ask(method, params, signal);
  }

  get isRunning(): boolean {
    return this.running !== null;
  }

  /** Allows a new worker after too many crashes. */
  revive(): void {
    this.ends = [];
  }

  async dispose(): Promise<void> {
    this.disposed = true;
    const running = this.running;
    this.running = null;
    running?.client.close(t('Leakline is shutting down.'));
    await running?.thread.terminate();
  }

  private async ask<Name extends keyof WorkerApi>(
    method: Name,
    params: WorkerApi[Name]['params'],
    signal?: AbortSignal,
  ): Promise<WorkerApi[Name]['result']> {
    if (method === 'unload') this.drop((params as { path: string }).path); // even without a worker
    const running = this.worker();
    const asked = method === 'report' ? ((this.lastReport?.number ?? null) as typeof params) : params;
    const before = this.lastReport?.report;
    const ask = () => running.client.call(method, asked, signal);
    const answer = await (method === 'report' ? this.watched(running, ask) : ask());
    const result = method === 'report' ? (whole(answer as SentResult, before) as typeof answer) : answer;
    this.remember(method, params, result);
    return result;
  }

  /** Terminates the worker if a report takes too long: nothing else stops it. */
  private async watched<T>({ thread }: Running, report: () => Promise<T>): Promise<T> {
    const timer = setTimeout(() => void thread.terminate(), REPORT_MS);
    this.reports++;
    try {
      return await report();
    } finally {
      clearTimeout(timer);
      this.reports--;
    }
  }

  private drop(path: string): void {
    this.loaded.delete(path);
    this.unproven.delete(path);
  }

  /** The suspect if a report crashed the worker: the largest file without a report; null if there is none. */
  private get suspect(): string | null {
    if (this.reports === 0) return null;
    return [...this.unproven].sort((a, b) => b[1] - a[1]).at(0)?.[0] ?? null;
  }

  /** Stores the parameters that a new worker needs. */
  private remember(method: keyof WorkerApi, params: unknown, result: unknown): void {
    if (method === 'report') {
      this.unproven.clear();
      this.lastReport = result as SentResult;
    }
    if (method === 'setWorkspace') this.listing = params as WorkspaceListing;
    if (method === 'load') {
      const { path } = params as { path: string };
      const { snapshots } = result as WorkerApi['load']['result'];
      this.loaded.add(path);
      this.unproven.set(
        path,
        snapshots.reduce((sum, { bytes }) => sum + bytes, 0),
      );
    }
  }

  private worker(): Running {
    if (this.disposed) throw new RpcError('closed', t('Leakline is shutting down.'));
    if (this.running !== null) return this.running;
    if (!this.mayStart) throw new RpcError('closed', this.staysOff());
    const thread = this.start();
    const client = new RpcClient<WorkerApi, WorkerEvents>(
      (message) => thread.post(message),
      (_progress, value) => this.listener.progress(value),
    );
    const running: Running = { thread, client };
    thread.listen(
      (value) => {
        if (isRpcMessage(value)) client.receive(value);
      },
      (reason) => this.ended(running, reason),
    );
    this.running = running;
    return running;
  }

  private staysOff(): string {
    return t(
      'It stopped {0} times and stays off until you choose "Read Snapshots Again" in the Snapshots view.',
      MAX_ENDS,
    );
  }

  private get mayStart(): boolean {
    const horizon = this.clock.now() - FORGIVEN_AFTER_MS;
    this.ends = this.ends.filter((time) => time > horizon);
    return !this.disposed && this.ends.length < MAX_ENDS;
  }

  private ended(running: Running, reason: string): void {
    if (this.running !== running) return; // requested
    this.running = null;
    this.lastReport = null;
    this.ends.push(this.clock.now());
    const { suspect } = this;
    if (suspect !== null) {
      this.drop(suspect);
      this.suspects.push(suspect);
    }
    const again = this.mayStart && this.loaded.size + this.suspects.length > 0;
    const stopped = t('The snapshot reader stopped unexpectedly ({0}).', reason);
    const message =
      suspect === null ? stopped : `${stopped} ${t('{0} is skipped: its report stopped the reader.', suspect)}`;
    running.client.close(message);
    this.listener.ended(this.mayStart ? message : `${message} ${this.staysOff()}`, again);
    if (again) this.restoring = this.restore();
  }

  private async restore(): Promise<void> {
    const paths = [...this.loaded];
    const lost = this.suspects.splice(0);
    this.loaded.clear();
    this.unproven.clear();
    try {
      if (this.listing !== null) await this.ask('setWorkspace', this.listing);
    } catch {
      this.listener.restored([...lost, ...paths]);
      return;
    }
    const outcomes = await Promise.allSettled(paths.map((path) => this.ask('load', { path })));
    for (const [i, outcome] of outcomes.entries()) {
      if (outcome.status === 'fulfilled') continue;
      // One of them crashed the worker again: read one by one, only that one fails.
      const isInnocent = isClosed(outcome.reason) && (await this.loads(paths[i]));
      if (!isInnocent) lost.push(paths[i]);
    }
    this.listener.restored(lost);
  }

  private async loads(path: string): Promise<boolean> {
    try {
      await this.ask('load', { path });
      return true;
    } catch {
      return false;
    }
  }
}

function whole(answer: SentResult, before: Report | undefined): SentResult {
  const { report, repeated } = answer;
  return repeated === null || before === undefined
    ? answer
    : { ...answer, report: withRepeated(report, repeated, before), repeated: null };
}

function isClosed(error: unknown): boolean {
  return error instanceof RpcError && error.reason === 'closed';
}
