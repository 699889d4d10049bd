/** The source of file events. The intake checks each event, so a watcher may report too many. */
export interface SnapshotWatcher {
  /** True until the folder has been walked once. */
  readonly scanning: boolean;
  close(): Promise<void>;
}

export interface WatchListener {
  /** A candidate or its sidecar appeared, changed or disappeared. */
  noticed(path: string): void;
  /** The first walk is over. */
  scanned(): void;
  /** A message on unwatched files, one sentence. */
  limited(message: string): void;
}

/** The watched part of a folder. */
export interface WatchScope {
  /** Absolute path. */
  readonly folder: string;
  /** True for polling instead of events. */
  readonly polls: boolean;
  /**
   * The snapshot of a file or of its sidecar; null for files that are not watched. @param relative path below the
   * folder, with `/`
   */
  snapshotOf(relative: string): string | null;
  /** @param relative path of a directory below the folder, with `/` */
  skips(relative: string): boolean;
}
