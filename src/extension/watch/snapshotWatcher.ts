/** Where snapshots appear. A port: the intake decides what an event means, so a watcher may report too much. */
export interface SnapshotWatcher {
  /** True until the folder has been walked once. */
  readonly scanning: boolean;
  close(): Promise<void>;
}

export interface WatchListener {
  /** A candidate, or what the recorder wrote beside one, appeared, changed or went away. */
  noticed(path: string): void;
  /** The first walk is over. */
  scanned(): void;
  /** Something a person should know about what is not watched; one sentence. */
  limited(message: string): void;
}

/** What of a folder is watched. */
export interface WatchScope {
  /** Absolute path. */
  readonly folder: string;
  /** Looks again and again, where the operating system tells of no changes. */
  readonly polls: boolean;
  /**
   * The snapshot that a file is, or that the recorder wrote it beside; null for files that are not watched.
   * @param relative path below the folder, with `/`
   */
  snapshotOf(relative: string): string | null;
  /** @param relative path of a directory below the folder, with `/` */
  skips(relative: string): boolean;
}
