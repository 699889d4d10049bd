/** The curve of the whole run, and the way to a snapshot on it. */
import type { RunCurve, RunCurveQuery } from '../../src/protocol/runData.js';
import type { Host } from '../model/host.js';
import { Question } from '../model/question.js';
import type { TimelineSession } from '../actions/session.js';
import type { Store } from '../model/store.js';
import type { ViewState } from '../model/viewState.js';
import { contradiction } from './runText.js';

export class RunSession extends Question<RunCurveQuery, RunCurve> {
  /** Shows a snapshot of the run at an event of its trace, by default the end. */
  readonly show: (part: number, event?: number | null) => void;
  /** Why the snapshot that shows cannot be trusted, or null. */
  readonly contradiction: () => string | null;

  constructor(
    page: Store<ViewState>,
    timeline: Pick<TimelineSession, 'select' | 'lookInto'>,
    host: Pick<Host, 'call'>,
  ) {
    super(page, { query: runQuery, ask: (query, signal) => host.call('runCurve', query, signal), outlives: true });
    this.show = (part, event = null) => {
      const { run } = this;
      const shown = run?.parts.at(part);
      if (run === null || shown === undefined) return;
      timeline.select({ path: shown.path, device: run.device });
      // A snapshot without a trace is shown alone.
      if (shown.events === 0) return;
      const at = event ?? shown.events - 1;
      timeline.lookInto({ event: at, axis: 'events', x: at });
    };
    this.contradiction = () => {
      const { selection } = page.get();
      return this.run === null || selection === null ? null : contradiction(this.run, selection.path);
    };
  }

  /** The last answer; null without a run, as for amounts over time. */
  get run(): RunCurve | null {
    const { answer } = this.store.get();
    return answer !== null && answer.parts.length > 0 ? answer : null;
  }
}

/** Of any snapshot of a run the same: the last represents it. */
function runQuery({ selection, choices, axis, runPixels: pixels }: ViewState): RunCurveQuery | null | undefined {
  if (selection === null) return null;
  const own = choices?.find(({ path }) => path === selection.path);
  const last = choices?.findLast(({ run, devices }) => run === own?.run && devices.includes(selection.device));
  return pixels === 0 ? undefined : { path: last?.path ?? selection.path, device: selection.device, axis, pixels };
}
