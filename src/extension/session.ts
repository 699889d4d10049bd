import * as vscode from 'vscode';
import type { Candidate, FailedStack } from '../core/report/sources/candidateSearch.js';
import type { CompareReport, SnapshotReport } from '../core/report/report.js';
import type { DeviceWhatIf } from '../core/report/peak/whatIfDevices.js';
import { startThread, type Thread } from '../node/thread.js';
import type { TimelineEvents } from '../protocol/timelineApi.js';
import type { DevicesQuery, WorkerStart } from '../protocol/workerApi.js';
import { AnalysisEngine } from './engine/analysisEngine.js';
import { diskFiles } from './intake/diskFiles.js';
import type { IntakeEntry } from './intake/intakeEntry.js';
import { systemClock } from './intake/ports.js';
import { QuietMoment } from './intake/quietMoment.js';
import { SnapshotIntake } from './intake/snapshotIntake.js';
import type { NotebookCells } from './notebooks/notebookCells.js';
import type { ResultsStore } from './results/resultsStore.js';
import { deviceCapacity, pathRules, readingSettings } from './settings.js';
import type { SnapshotWatchers } from './watch/snapshotWatchers.js';
import type { WatchListener } from './watch/chokidarWatcher.js';
import { sentenceNaming, sentenceOf } from './text/fileSentence.js';
import type { PythonFiles } from './workspace/pythonFiles.js';
import { availableParallelism } from 'node:os';

/** Maximum number of readers: with more, disk and memory become the limit. */
const MAX_READERS = 4;

/** Shortest interval between change events, in milliseconds. */
const NEWS_MS = 100;
/** How long the status bar reports a reader that stopped, in milliseconds. */
const MESSAGE_MS = 10_000;
/** How long an out-of-memory message waits for its candidates, in milliseconds: the worker may be busy. */
const CANDIDATES_MS = 10_000;
/** Delays in milliseconds before a failed report is tried again. */
const RETRY = { afterMs: 1_000, most: 5 };

/** The path from a new file to a report: watchers, intake, worker, and the timing of reports. */
export class SnapshotSession implements vscode.Disposable, WatchListener {
  readonly engine: AnalysisEngine;
  private readonly intake: SnapshotIntake;
  private readonly analysis: QuietMoment;
  private readonly newsEmitter = new vscode.EventEmitter<void>();
  private readonly progressed = new vscode.EventEmitter<TimelineEvents['reading']>();
  private newsTimer: ReturnType<typeof setTimeout> | undefined;
  /** The worker does not know the present workspace. */
  private listingStale = true;
  private trouble: string | null = null;
  private isCleared = false;
  /** Counts changes of the readings. */
  private contents = 0;
  /** The count at the time of the report. */
  private judged = 0;
  /** Reports in a row that were not made. */
  private failures = 0;

  /** The state of a file changed. */
  readonly onDidChange = this.newsEmitter.event;
  /** Fires while files are read, some times a second. */
  readonly onProgress = this.progressed.event;

  /**
   * @param watchers report files to this
   * @param scripts bundles of the worker and of its readers
   * @param cacheFolder folder of the cache, null for no cache
   */
  constructor(
    private readonly watchers: SnapshotWatchers,
    scripts: { worker: string; reader: string },
    private readonly cacheFolder: string | null,
    private readonly store: ResultsStore,
    private readonly files: PythonFiles,
    private readonly cells: NotebookCells,
    private readonly log: vscode.LogOutputChannel,
  ) {
    const readers = readerCount();
    const translations = vscode.l10n.bundle ?? {};
    const startWorker = (): Thread => {
      const start: WorkerStart = {
        readerScript: scripts.reader,
        readers,
        reading: readingSettings(cacheFolder),
        translations,
      };
      return startThread(scripts.worker, 'leakline', start);
    };
    this.engine = new AnalysisEngine(startWorker, systemClock, {
      progress: (progress) => {
        this.intake.progress(progress.path, progress.fraction);
        this.progressed.fire(progress);
      },
      ended: (message, again) => {
        this.log.error(message);
        const text = again ? vscode.l10n.t('{0} Reading the snapshots again.', message) : message;
        this.say(text);
        // Minimum time of a message: recovery can be quick.
        vscode.window.setStatusBarMessage(`$(warning) Leakline: ${text}`, MESSAGE_MS);
      },
      restored: (lost) => {
        for (const path of lost) void this.intake.forget(path);
        this.log.info(`the reader is back, ${lost.length} snapshots lost`);
        this.say(null);
        this.analysis.request();
      },
    });
    this.intake = new SnapshotIntake(
      diskFiles,
      systemClock,
      {
        load: async (path) => (await this.engine.call('load', { path })).snapshots,
        unload: async (path) => {
          await this.engine.call('unload', { path });
        },
      },
      readers,
      (content) => {
        this.announce();
        if (!content) return;
        this.contents++;
        this.analysis.request();
      },
    );
    this.analysis = new QuietMoment(
      systemClock,
      () => this.intake.busy || this.watchers.scanning,
      () => this.analyse(),
    );
  }

  get entries(): IterableIterator<IntakeEntry> {
    return this.intake.entries;
  }

  /** The failure of the reader, in one sentence. */
  get problem(): string | null {
    return this.trouble;
  }

  /** Folders that are not watched, one sentence each. */
  get limits(): readonly string[] {
    return this.watchers.limits;
  }

  /** Snapshots that are read. */
  get ready(): SnapshotReport[] {
    return [...this.intake.entries].flatMap(({ snapshots }) => snapshots ?? []);
  }

  /** True after the user cleared the results. */
  get cleared(): boolean {
    return this.isCleared && !this.hasContent;
  }

  /** True if anything is read: snapshots, trends or reference cycles. */
  private get hasContent(): boolean {
    return [...this.intake.entries].some(({ snapshots }) => snapshots !== null);
  }

  /** True while files are being found or read. */
  get reading(): boolean {
    return this.watchers.scanning || this.intake.busy || this.judged !== this.contents;
  }

  /** Begins with the files that the watchers have found. */
  start(): void {
    // The folders were empty: new files are news.
    if (!this.watchers.scanning) this.store.setResult(null);
    this.announce();
  }

  noticed(path: string): void {
    this.intake.noticed(path);
  }

  /** The first walk of a folder is over. */
  scanned(): void {
    this.announce();
    this.analysis.request();
  }

  /** Less is watched than there is. */
  limited(): void {
    this.announce();
  }

  /** The folders of the workspace changed: drops files of removed folders. */
  async refolder(): Promise<void> {
    const outside = [...this.intake.entries].filter(
      ({ path, origin }) =>
        origin === 'discovered' && vscode.workspace.getWorkspaceFolder(vscode.Uri.file(path)) === undefined,
    );
    await Promise.all(outside.map(({ path }) => this.intake.forget(path)));
    this.watchers.start();
  }

  /** The workspace's files or mappings changed: marks may move. */
  remap(): void {
    this.listingStale = true;
    this.resourced();
  }

  /** Closed source files with marks were written: their lines may have moved. */
  resourced(): void {
    if (this.hasContent) this.analysis.request();
  }

  /**
   * Reads a file that the user named, and watches it.
   * @param path of a file, or of a snapshot in one
   * @returns its snapshots, or the one named
   * @throws Error with one sentence that names the file
   */
  async open(path: string): Promise<readonly SnapshotReport[]> {
    const file = this.fileOf(path);
    this.watchers.watchFile(file);
    const snapshots = await this.intake.open(file).catch((problem: unknown) => {
      throw new Error(sentenceNaming(file, sentenceOf(problem)), { cause: problem });
    });
    return file === path ? snapshots : snapshots.filter((snapshot) => snapshot.path === path);
  }

  /** The file of a snapshot: it may contain several. */
  fileOf(path: string): string {
    const holder = [...this.intake.entries].find(({ snapshots }) => snapshots?.some((one) => one.path === path));
    return holder?.path ?? path;
  }

  /** Settles when the report holds everything that is read by now. */
  async reported(): Promise<void> {
    await this.refreshListing();
    await this.analyse();
  }

  /**
   * Compares two files, reading them if need be, and shows the comparison.
   * @throws an object with a `message` for users
   */
  async compare(a: string, b: string): Promise<void> {
    this.store.setComparison(await this.comparison(a, b));
  }

  /**
   * Compares two files, reading them if needed. The view does not change. @throws an object with a `message` for users
   */
  async comparison(a: string, b: string): Promise<CompareReport> {
    await this.open(a);
    await this.open(b);
    await this.refreshListing();
    return await this.engine.call('compare', { a, b, ignored: this.store.ignored });
  }

  /**
   * Replays the allocations of a file's first snapshot, or of the one named, after reading the file if needed.
   * @throws an object with a `message` for users
   */
  async whatIf(path: string, question: DevicesQuery, signal: AbortSignal): Promise<DeviceWhatIf[]> {
    const snapshots = await this.open(path);
    return await this.engine.call('whatIfDevices', { path: snapshots.at(0)?.path ?? path, ...question }, signal);
  }

  /** Statements that may have filled the memory, for each failed request. @throws an object with a `message` */
  async candidates(stacks: readonly FailedStack[]): Promise<Candidate[][]> {
    // Without a stack, no worker starts.
    if (stacks.length === 0) return [];
    await this.refreshListing();
    return await this.engine.call('candidates', { stacks }, AbortSignal.timeout(CANDIDATES_MS));
  }

  async forget(path: string): Promise<void> {
    await this.intake.forget(this.fileOf(path));
  }

  /** Drops all readings and marks; files that change later are read again. */
  async clear(): Promise<void> {
    this.isCleared = true;
    this.engine.revive();
    await this.intake.clear();
    this.store.setComparison(null);
    this.store.setResult(null);
    this.say(null);
  }

  /** Clears the cache on disk as well. */
  async clearAll(): Promise<void> {
    await this.clear();
    await this.engine.call('clearCache', null);
  }

  /** Applies changed settings for reading. */
  async reconfigure(): Promise<void> {
    // A worker that is not there will be started with them.
    if (this.engine.isRunning) await this.engine.call('configure', readingSettings(this.cacheFolder));
  }

  /** Looks through the workspace again. */
  async readAgain(): Promise<void> {
    await this.clear();
    this.isCleared = false;
    this.watchers.start();
  }

  dispose(): void {
    clearTimeout(this.newsTimer);
    this.analysis.dispose();
    this.intake.dispose();
    this.newsEmitter.dispose();
    this.progressed.dispose();
  }

  /** Stops the worker, asynchronously unlike {@link dispose}. */
  async stop(): Promise<void> {
    await this.engine.dispose();
  }

  private async refreshListing(): Promise<void> {
    if (!this.listingStale) return;
    this.listingStale = false;
    try {
      await this.engine.call('setWorkspace', {
        files: await this.files.paths(),
        rules: [...pathRules(), ...this.cells.rules],
        roots: this.files.roots(),
        texts: this.cells.texts,
        capacityBytes: deviceCapacity(),
      });
    } catch (error) {
      this.listingStale = true;
      throw error;
    }
  }

  private async analyse(): Promise<void> {
    const { contents } = this;
    if (!this.hasContent) {
      this.judged = contents;
      this.store.setComparison(null);
      this.store.setResult(null);
      return;
    }
    try {
      await this.refreshListing();
      let result = await this.engine.call('report', null);
      if (await this.cells.know(result.paths.unmapped)) {
        this.listingStale = true;
        await this.refreshListing();
        result = await this.engine.call('report', null);
      }
      this.judged = contents;
      this.failures = 0;
      this.store.setResult(result);
      if (this.trouble !== null) this.say(null);
      this.log.debug(`report: ${result.report.runs.length} runs, ${this.store.marks.length} marks`);
      await this.compareAgain();
    } catch (error) {
      this.judged = contents;
      this.failed(sentenceOf(error));
    }
  }

  /** No report: VS Code cancels a search for files while folders change, and the worker may have ended. */
  private failed(reason: string): void {
    this.log.error(`no report: ${reason}`);
    this.say(vscode.l10n.t('There is no report: {0}', reason));
    if (this.failures++ < RETRY.most) systemClock.after(RETRY.afterMs, () => this.analysis.request());
  }

  /** A comparison follows its files; it ends when one of them is gone. */
  private async compareAgain(): Promise<void> {
    const comparison = this.store.comparison;
    if (comparison === null) return;
    const { a, b } = comparison.report;
    const known = new Set(this.ready.map(({ path }) => path));
    const still = known.has(a.path) && known.has(b.path);
    this.store.setComparison(
      still ? await this.engine.call('compare', { a: a.path, b: b.path, ignored: this.store.ignored }) : null,
    );
  }

  private say(trouble: string | null): void {
    this.trouble = trouble;
    this.announce();
  }

  private announce(): void {
    this.newsTimer ??= setTimeout(() => {
      this.newsTimer = undefined;
      this.newsEmitter.fire();
    }, NEWS_MS);
  }
}

/** Threads that may read files at the same time on this machine: one core is left for the one that judges them. */
function readerCount(): number {
  return Math.max(1, Math.min(MAX_READERS, availableParallelism() - 1));
}
