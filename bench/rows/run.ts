import type { SentResult } from '../../src/protocol/workerApi.js';
import { withRepeated } from '../../src/protocol/reportCode.js';
import type { Found } from './measure.js';
import { startWorker } from './worker.js';

/** Dumps of one process, in a worker of its own. */
export class Run {
  readonly found = { events: 0, liveBytes: 0 } satisfies Found;
  private readonly worker: ReturnType<typeof startWorker>;
  private readonly paths: string[] = [];
  private last: SentResult | null = null;

  constructor(readers = 1) {
    this.worker = startWorker({ readers, reading: { cache: null, timeLimitMs: null } });
  }

  /** Reads a dump, with a report after it, as in the editor. */
  async dump(path: string): Promise<void> {
    await this.load(path);
    await this.report();
  }

  async load(path: string): Promise<void> {
    this.paths.push(path);
    const { calls } = this.worker;
    const { snapshots } = await calls.call('load', { path });
    for (const snapshot of snapshots) {
      this.found.events += snapshot.events;
      for (const device of snapshot.devices) this.found.liveBytes += device.liveBytes;
    }
  }

  async report(): Promise<void> {
    const { last } = this;
    const answer: SentResult = await this.worker.calls.call('report', last?.number ?? null);
    const { report, repeated } = answer;
    this.last =
      repeated === null || last === null ? answer : { ...answer, report: withRepeated(report, repeated, last.report) };
  }

  /** The run begins again, in the same worker. */
  async forget(): Promise<void> {
    for (const path of this.paths.splice(0)) await this.worker.calls.call('unload', { path });
  }

  async end(): Promise<void> {
    await this.worker.end();
  }
}
