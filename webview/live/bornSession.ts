/** Asks what was born in view and is still alive, while that is what the list shows. */
import type { BornIn, BornInQuery } from '../../src/protocol/timelineData.js';
import type { Host } from '../host.js';
import { Latest } from '../latest.js';
import type { Store } from '../store.js';
import { listedBy, type ViewState } from '../viewState.js';

export class BornSession {
  private readonly latest: Latest<BornInQuery, BornIn>;

  constructor(
    private readonly store: Store<ViewState>,
    host: Pick<Host, 'call'>,
  ) {
    this.latest = new Latest((query, signal) => host.call('bornIn', query, signal), {
      answer: (born) => {
        const { selection } = store.get();
        if (born.path === selection?.path && born.device === selection.device) store.update({ born, liveError: null });
      },
      failure: (error) => {
        store.update({
          born: null,
          liveError: error instanceof Error ? error.message : String(error),
        });
      },
      settled: () => undefined,
    });
    store.watch((state, before) => {
      const { selection, curve, listing } = state;
      if (selection !== before.selection) store.update({ born: null });
      if (listing !== before.listing || curve !== before.curve || listedBy(state) !== listedBy(before)) this.ask();
    });
  }

  /** Asks anew after a failure. */
  ask(): void {
    const { selection, curve, range, listing } = this.store.get();
    if (listing !== 'born' || selection === null || curve === null) return;
    if (curve.path !== selection.path || curve.device !== selection.device) return;
    this.latest.request({
      ...selection,
      axis: curve.axis,
      window: range,
      by: listedBy(this.store.get()),
    });
  }
}
