import { leakyFailures, withoutLeaks } from '../core/report/peak/leakReplay.js';
import type { OutOfMemoryReport, Report } from '../core/report/report.js';
import type { SnapshotStore } from './snapshotStore.js';
import type { WorkspaceFiles } from './workspaceFiles.js';

/** Adds to reports what their failures would have been without their leaks. */
export class LeakReplays {
  /** The last answer for each file: a run is reported again after each of its dumps. */
  private readonly known = new Map<string, { key: string; answer: OutOfMemoryReport['withoutLeaks'] }>();

  constructor(
    private readonly store: SnapshotStore,
    private readonly workspace: WorkspaceFiles,
  ) {}

  /** A file that is gone adds nothing. */
  async addTo(report: Report): Promise<void> {
    for (const leaky of leakyFailures(report)) {
      const { failure, lines } = leaky;
      const { path, device, event, askedBytes, liveBytes } = failure;
      const key = JSON.stringify([event, askedBytes, liveBytes, lines.map(({ file, line }) => [file, line])]);
      const place = JSON.stringify([path, device]);
      let known = this.known.get(place);
      if (known?.key !== key) {
        const { signal } = new AbortController();
        const snapshot = await this.store.snapshot(path, signal).catch(() => null);
        if (snapshot === null) continue;
        const lookup = this.workspace.lookupFor(snapshot, this.store.digests);
        known = { key, answer: withoutLeaks(snapshot, this.store.digest(path).steps, leaky, lookup) };
        this.known.set(place, known);
      }
      failure.withoutLeaks = known.answer;
    }
  }
}
