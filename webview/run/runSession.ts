/** Requests the curve of the whole run, and opens the snapshot of a place on it. */
import type { RunCurve, RunCurveQuery } from '../../src/protocol/runData.js';
import type { Host } from '../host.js';
import { Question } from '../question.js';
import type { TimelineSession } from '../session.js';
import type { Store } from '../store.js';
import type { ViewState } from '../viewState.js';
import { contradiction } from './runText.js';

export class RunSession extends Question<RunCurveQuery, RunCurve> {
  private pixels = 0;
  private asked = '';

  constructor(
    private readonly page: Store<ViewState>,
    private readonly timeline: Pick<TimelineSession, 'select' | 'lookInto'>,
    host: Pick<Host, 'call'>,
  ) {
    super((query, signal) => host.call('runCurve', query, signal));
    this.store.watch(({ error }) => {
      if (error !== null) this.asked = '';
    });
    page.watch((state, before) => {
      if (state.selection !== before.selection || state.axis !== before.axis || state.choices !== before.choices) {
        if (state.choices !== before.choices) this.asked = '';
        this.ask();
      }
    });
  }

  /** The last answer; null without a run, as for amounts over time. */
  get run(): RunCurve | null {
    const { answer } = this.store.get();
    return answer !== null && answer.parts.length > 0 ? answer : null;
  }

  /** Why the snapshot that shows cannot be trusted, or null. */
  get contradiction(): string | null {
    const { selection } = this.page.get();
    return this.run === null || selection === null ? null : contradiction(this.run, selection.path);
  }

  /** Sets the width of the overview; there is no request before that. */
  setPixels(pixels: number): void {
    const rounded = Math.round(pixels);
    if (rounded === this.pixels || rounded <= 0) return;
    this.pixels = rounded;
    this.ask();
  }

  /** Shows a snapshot of the run at an event of its trace, by default the end. */
  show(part: number, event: number | null = null): void {
    const { run } = this;
    const shown = run?.parts.at(part);
    if (run === null || shown === undefined) return;
    this.timeline.select({ path: shown.path, device: run.device });
    // A snapshot without a trace is shown alone.
    if (shown.events === 0) return;
    const at = event ?? shown.events - 1;
    this.timeline.lookInto({ event: at, axis: 'events', x: at });
  }

  /** Requests it again, also after a failure. */
  ask(): void {
    const { selection, choices, axis } = this.page.get();
    const own = choices?.find(({ path }) => path === selection?.path);
    if (selection === null) {
      this.asked = '';
      this.cancel();
      return;
    }
    if (this.pixels === 0) return;
    const { run } = this;
    const sameRun = run?.parts.some(({ path }) => path === selection.path) === true && run.device === selection.device;
    const key = JSON.stringify([own?.run, selection.device, axis, this.pixels]);
    if (key === this.asked && (run === null || sameRun)) return;
    this.asked = key;
    this.send({ ...selection, axis, pixels: this.pixels });
  }
}
