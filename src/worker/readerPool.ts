import { tookTooLong } from '../core/bytes/observedSource.js';
import { SnapshotError } from '../core/bytes/snapshotError.js';
import type { ReadProgress } from '../protocol/timelineData.js';
import type { Bytes } from '../core/model/units.js';
import type { Thread } from '../node/thread.js';
import { isRpcMessage, RpcClient, RpcError } from '../protocol/rpc.js';
import type { FileReading, ReaderApi, ReaderEvents, ReadRequest } from './readerApi.js';
import { t } from '../core/text/translate.js';

/** A file that kills its reader is given to a fresh one this many times in total. */
const ATTEMPTS = 2;
const DEFAULT_GRACE_MS = 5_000;
const DEFAULT_IDLE_MS = 30_000;

export interface PoolOptions {
  /** Readers at most. */
  readonly readers: number;
  /** Files of more than this in sum are not read at the same time; one always is. */
  readonly maxBytes: Bytes;
  /** The reader looks at the clock itself, between two pieces; one that does not is ended this much later. */
  readonly graceMs?: number;
  /** A reader without work is ended after this long: its heap is worth more than its start. */
  readonly idleMs?: number;
}

interface Job {
  readonly request: ReadRequest;
  readonly bytes: Bytes;
  readonly signal: AbortSignal;
  readonly onProgress: (progress: ReadProgress) => void;
  readonly resolve: (reading: FileReading) => void;
  readonly reject: (error: Error) => void;
  attempts: number;
  /** The reader did not end within its time limit, and was terminated. */
  isLate: boolean;
}

interface Reader {
  readonly thread: Thread;
  readonly client: RpcClient<ReaderApi, ReaderEvents>;
  job: Job | null;
}

/**
 * Threads that read files in order of request, started on demand. A dead reader fails only its file, after a second
 * attempt.
 */
export class ReaderPool {
  private readonly queue: Job[] = [];
  private readonly readers = new Set<Reader>();
  private idleTimer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly start: () => Thread,
    private readonly options: PoolOptions,
  ) {}

  /** Reads a file. @param bytes its size @throws SnapshotError, or RpcError with the reader's reason */
  read(
    request: ReadRequest,
    bytes: Bytes,
    signal: AbortSignal,
    onProgress: (progress: ReadProgress) => void,
  ): Promise<FileReading> {
    let onAbort: () => void;
    const reading = new Promise<FileReading>((resolve, reject) => {
      const job: Job = { request, bytes, signal, onProgress, resolve, reject, attempts: 0, isLate: false };
      this.queue.push(job);
      onAbort = () => {
        this.withdraw(job);
      };
      signal.addEventListener('abort', onAbort);
      this.assign();
    });
    return reading.finally(() => {
      signal.removeEventListener('abort', onAbort);
    });
  }

  /** Ends all readers; their readings fail. */
  async close(): Promise<void> {
    clearTimeout(this.idleTimer);
    for (const job of this.queue.splice(0)) job.reject(cancelled(job));
    await Promise.all([...this.readers].map(({ thread }) => thread.terminate()));
  }

  private withdraw(job: Job): void {
    const place = this.queue.indexOf(job);
    if (place === -1) return; // its reader is told, or it is done
    this.queue.splice(place, 1);
    job.reject(cancelled(job));
    this.assign();
  }

  /** Gives work to readers that have none, starting them as far as there may be more. */
  private assign(): void {
    for (let job = this.queue.at(0); job !== undefined && this.hasRoomFor(job); job = this.queue.at(0)) {
      const reader = this.freeReader();
      if (reader === null) return;
      this.queue.shift();
      void this.run(reader, job);
    }
    clearTimeout(this.idleTimer);
    if ([...this.readers].some(({ job }) => job === null)) {
      this.idleTimer = setTimeout(() => {
        for (const reader of this.readers) if (reader.job === null) this.end(reader);
      }, this.options.idleMs ?? DEFAULT_IDLE_MS).unref();
    }
  }

  /** No more work for this one. */
  private end(reader: Reader): void {
    this.readers.delete(reader);
    void reader.thread.terminate();
  }

  private hasRoomFor({ bytes }: Job): boolean {
    const running = [...this.readers].flatMap(({ job }) => job ?? []);
    return running.length === 0 || running.reduce((sum, job) => sum + job.bytes, bytes) <= this.options.maxBytes;
  }

  private freeReader(): Reader | null {
    for (const reader of this.readers) if (reader.job === null) return reader;
    return this.readers.size < this.options.readers ? this.startReader() : null;
  }

  private startReader(): Reader {
    const thread = this.start();
    const client = new RpcClient<ReaderApi, ReaderEvents>(
      (message) => {
        thread.post(message);
      },
      (_progress, { path, ...progress }) => {
        if (reader.job?.request.path === path) reader.job.onProgress(progress);
      },
    );
    const reader: Reader = { thread, client, job: null };
    thread.listen(
      (value) => {
        if (isRpcMessage(value)) client.receive(value);
      },
      (reason) => {
        this.readers.delete(reader);
        client.close(reason);
      },
    );
    this.readers.add(reader);
    return reader;
  }

  private async run(reader: Reader, job: Job): Promise<void> {
    const { path, timeLimitMs } = job.request;
    reader.job = job;
    job.attempts++;
    const watchdog =
      timeLimitMs === null
        ? undefined
        : setTimeout(
            () => {
              job.isLate = true;
              this.end(reader);
              // A thread inside a call of the file system ends after the call, perhaps never.
              reader.client.close('');
            },
            timeLimitMs + (this.options.graceMs ?? DEFAULT_GRACE_MS),
          );
    try {
      job.resolve(await reader.client.call('read', job.request, job.signal));
    } catch (error) {
      // A cancelled reader may react slowly: another one takes the next file.
      if (job.signal.aborted) {
        this.end(reader);
        job.reject(cancelled(job));
      } else if (!(error instanceof RpcError) || error.reason !== 'closed') job.reject(error as Error);
      else if (job.isLate && timeLimitMs !== null) job.reject(tookTooLong(path, timeLimitMs));
      else if (job.attempts < ATTEMPTS) this.queue.unshift(job);
      else job.reject(deadly(path, error.message));
    } finally {
      clearTimeout(watchdog);
      reader.job = null;
      this.assign();
    }
  }
}

function cancelled({ request }: Job): SnapshotError {
  return new SnapshotError('cancelled', t('Reading {0} was cancelled.', request.path));
}

function deadly(path: string, reason: string): SnapshotError {
  return new SnapshotError(
    'unreadable',
    t(
      '{0} stopped its reader {1} times ({2}), so Leakline no longer reads it. ' +
        'Free some memory, or record with a smaller max_entries.',
      path,
      ATTEMPTS,
      reason,
    ),
  );
}
