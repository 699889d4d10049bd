/** What other settings and changes would reserve, while that is shown, and the curve of the chosen one. */
import type { ReservedAnswer, ReservedQuery, WhatIfAnswer, WhatIfQuery } from '../../src/protocol/whatIfData.js';
import type { Host } from '../model/host.js';
import { CURVE_PACE_MS, currentCurve, Question, sentenceOf } from '../model/question.js';
import type { Store } from '../model/store.js';
import { strings } from '../text/strings.js';
import type { ViewState } from '../model/viewState.js';

export class WhatIfSession extends Question<WhatIfQuery, WhatIfAnswer> {
  constructor(
    private readonly state: Store<ViewState>,
    private readonly host: Pick<Host, 'call'>,
  ) {
    super(state, {
      query: (now) => {
        const curve = currentCurve(now);
        if (curve === null) return null;
        // The replays of a long trace take a while: leaving the tab ends them.
        return now.pane === 'whatIf'
          ? { path: curve.path, device: curve.device, capacity: curve.capacityBytes }
          : undefined;
      },
      ask: (query, signal) => host.call('whatIf', query, signal),
    });
    const curve = new Question<ReservedQuery, ReservedAnswer>(state, {
      query: reservedQuery,
      ask: (query, signal) => host.call('reservedWith', query, signal),
      subject: ({ path, device, change }) => [path, device, change],
      paceMs: CURVE_PACE_MS,
    });
    curve.store.watch(({ answer: reservedWith, error }) =>
      state.update({ reservedWith, ...(error !== null && { change: null, openError: error }) }),
    );
  }

  /** Draws the reserved memory and the layout with a change, or no longer if they are drawn. */
  choose(change: string): void {
    this.state.update({ change: change === this.state.get().change ? null : change });
  }

  /** The assignment of the chosen setting, null without one. */
  assignment(): string | null {
    const { change } = this.state.get();
    return this.store.get().answer?.outcomes.find((outcome) => outcome.change === change)?.assignment ?? null;
  }

  /** Puts the chosen setting where the program gets its environment from. */
  apply(): void {
    this.send((assignment) => this.host.call('applySetting', { assignment }), sentenceOf);
  }

  /** Puts the assignment of the chosen setting on the clipboard. */
  copy(): void {
    this.send(
      (text) => this.host.call('copyText', { text }),
      (error) => strings.copyFailed(sentenceOf(error)),
    );
  }

  private send(call: (assignment: string) => Promise<null>, textOf: (error: unknown) => string): void {
    const assignment = this.assignment();
    if (assignment === null) return;
    call(assignment).then(
      () => this.state.update({ openError: null }),
      (error: unknown) => this.state.update({ openError: textOf(error) }),
    );
  }
}

/** While the table of the changes shows, or the map of one. */
function reservedQuery(state: ViewState): ReservedQuery | null | undefined {
  const { pane, change, plotWidth: pixels } = state;
  const curve = currentCurve(state);
  if ((pane !== 'whatIf' && pane !== 'map') || change === null || curve === null) return null;
  if (pixels === 0) return undefined;
  const { path, device, axis, window, capacityBytes: capacity } = curve;
  return { path, device, axis, window, capacity, change, pixels };
}
