/** Requests what other settings and changes would reserve while that is shown, and the curve of the chosen one. */
import type { ReservedAnswer, ReservedQuery, WhatIfAnswer, WhatIfQuery } from '../../src/protocol/whatIfData.js';
import type { Host } from '../host.js';
import { Latest } from '../latest.js';
import { currentCurve, isShown, Question, sentenceOf } from '../question.js';
import type { Store } from '../store.js';
import { strings } from '../strings.js';
import type { ViewState } from '../viewState.js';

/** During zoom and pan, the present picture is stretched. */
const CURVE_PACE_MS = 150;

export class WhatIfSession extends Question<WhatIfQuery, WhatIfAnswer> {
  private pixels = 0;
  /** What the answer, or the open question, is about. */
  private asked = '';

  private readonly curve: Latest<ReservedQuery, ReservedAnswer>;

  constructor(
    private readonly page: Store<ViewState>,
    private readonly host: Pick<Host, 'call'>,
  ) {
    super(
      (query, signal) => host.call('whatIf', query, signal),
      (answer) => isShown(answer, page.get()),
    );
    this.curve = new Latest(
      (query, signal) => host.call('reservedWith', query, signal),
      {
        answer: (answer) => {
          const state = page.get();
          const isWanted = isShown(answer, state) && answer.change === state.change && drawsChange(state);
          if (isWanted) page.update({ reservedWith: answer });
        },
        failure: (error) => page.update({ change: null, openError: sentenceOf(error) }),
      },
      CURVE_PACE_MS,
    );
    page.watch((state, before) => {
      const { selection, choices, pane, change, curve } = state;
      if (selection !== before.selection) {
        this.asked = '';
        this.cancel();
        page.update({ change: null });
      }
      if (choices !== before.choices) this.asked = '';
      this.ask();
      const isOther = selection !== before.selection || pane !== before.pane || change !== before.change;
      if (isOther || curve !== before.curve) this.askCurve();
    });
  }

  /** Requests the answers, unless they are known or on the way. */
  ask(again = false): void {
    const state = this.page.get();
    const curve = currentCurve(state);
    if (state.pane !== 'whatIf') {
      // The replays of a long trace take a while, and the user has left the tab.
      if (this.store.get().loading) {
        this.asked = '';
        this.cancel();
      }
      return;
    }
    if (curve === null) return;
    const { path, device, capacityBytes: capacity } = curve;
    const query = { path, device, capacity };
    const key = JSON.stringify(query);
    if (key === this.asked && !again) return;
    this.asked = key;
    this.send(query);
  }

  /** Draws the reserved memory and the layout with a change, or no longer if they are drawn. */
  choose(change: string): void {
    this.page.update({ change: change === this.page.get().change ? null : change });
  }

  /** The assignment of the chosen setting, null without one. */
  assignment(): string | null {
    const { change } = this.page.get();
    return this.store.get().answer?.outcomes.find((outcome) => outcome.change === change)?.assignment ?? null;
  }

  /** Puts the chosen setting where the program gets its environment from. */
  apply(): void {
    const assignment = this.assignment();
    if (assignment === null) return;
    this.host.call('applySetting', { assignment }).then(
      () => this.page.update({ openError: null }),
      (error: unknown) => this.page.update({ openError: sentenceOf(error) }),
    );
  }

  /** Puts the assignment of the chosen setting on the clipboard. */
  copy(): void {
    const assignment = this.assignment();
    if (assignment === null) return;
    this.host.call('copyText', { text: assignment }).then(
      () => this.page.update({ openError: null }),
      (error: unknown) => this.page.update({ openError: strings.copyFailed(sentenceOf(error)) }),
    );
  }

  /** Sets the width of the curve; there is no request for it before that. */
  setPixels(pixels: number): void {
    const rounded = Math.round(pixels);
    if (rounded <= 0 || rounded === this.pixels) return;
    this.pixels = rounded;
    this.askCurve();
  }

  private askCurve(): void {
    const state = this.page.get();
    const { change, reservedWith } = state;
    const curve = currentCurve(state);
    if (!drawsChange(state) || change === null || curve === null) {
      this.curve.cancel();
      this.page.update({ reservedWith: null });
      return;
    }
    if (this.pixels === 0) return;
    if (reservedWith !== null && reservedWith.change !== change) this.page.update({ reservedWith: null });
    const { path, device, axis, window, capacityBytes: capacity } = curve;
    this.curve.request({ path, device, axis, window, capacity, change, pixels: this.pixels });
  }
}

/** True while the table of the changes shows, or the map of one. */
function drawsChange({ pane }: ViewState): boolean {
  return pane === 'whatIf' || pane === 'map';
}
