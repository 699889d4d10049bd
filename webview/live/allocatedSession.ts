/** Asks what was allocated in view and is still alive, while that is what the list shows. */
import type { AllocatedIn, AllocatedInQuery } from '../../src/protocol/timelineData.js';
import type { Host } from '../host.js';
import { Latest } from '../latest.js';
import type { Store } from '../store.js';
import { listedBy, type ViewState } from '../viewState.js';

export class AllocatedSession {
  private readonly latest: Latest<AllocatedInQuery, AllocatedIn>;

  constructor(
    private readonly store: Store<ViewState>,
    host: Pick<Host, 'call'>,
  ) {
    this.latest = new Latest((query, signal) => host.call('allocatedIn', query, signal), {
      answer: (allocated) => {
        const { selection } = store.get();
        if (allocated.path === selection?.path && allocated.device === selection.device)
          store.update({ allocated, liveError: null });
      },
      failure: (error) => {
        store.update({
          allocated: null,
          liveError: error instanceof Error ? error.message : String(error),
        });
      },
      settled: () => undefined,
    });
    store.watch((state, before) => {
      const { selection, curve, listing } = state;
      if (selection !== before.selection) store.update({ allocated: null });
      if (listing !== before.listing || curve !== before.curve || listedBy(state) !== listedBy(before)) this.ask();
    });
  }

  /** Asks anew after a failure. */
  ask(): void {
    const { selection, curve, range, listing } = this.store.get();
    if (listing !== 'allocated' || selection === null || curve === null) return;
    if (curve.path !== selection.path || curve.device !== selection.device) return;
    this.latest.request({
      ...selection,
      axis: curve.axis,
      window: range,
      by: listedBy(this.store.get()),
    });
  }
}
