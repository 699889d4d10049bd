/** Requests allocations in view that are still live, while the list shows them. */
import type { AllocatedIn, AllocatedInQuery } from '../../src/protocol/timelineData.js';
import type { Host } from '../host.js';
import { currentCurve, isShown, Question } from '../question.js';
import type { Store } from '../store.js';
import { listedBy, type ViewState } from '../viewState.js';

export class AllocatedSession extends Question<AllocatedInQuery, AllocatedIn> {
  constructor(
    private readonly page: Store<ViewState>,
    host: Pick<Host, 'call'>,
  ) {
    super(
      (query, signal) => host.call('allocatedIn', query, signal),
      (allocated) => isShown(allocated, page.get()),
    );
    page.watch((state, before) => {
      const { selection, curve, listing } = state;
      if (selection !== before.selection) this.forget();
      if (listing !== before.listing || curve !== before.curve || listedBy(state) !== listedBy(before)) this.ask();
    });
    this.store.watch(({ answer: allocated, error }) =>
      page.update({ allocated, ...(page.get().listing === 'allocated' && { liveError: error }) }),
    );
  }

  /** Requests them again after a failure. */
  ask(): void {
    const state = this.page.get();
    const curve = currentCurve(state);
    if (state.listing !== 'allocated' || curve === null) return;
    const { path, device, axis } = curve;
    this.send({ path, device, axis, window: state.range, by: listedBy(state) });
  }
}
