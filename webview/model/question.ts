/** A question that follows the page: its query is derived from the state, and whatever changes it asks again. */
import type { TimelineApi } from '../../src/protocol/timelineApi.js';
import type { Host } from './host.js';
import { Latest } from './latest.js';
import { Store } from './store.js';
import type { Selection, ViewState } from './viewState.js';

export interface Answered<Answer> {
  /** The last answer, perhaps to an earlier query while the next one loads. */
  answer: Answer | null;
  loading: boolean;
  /** The reason for a missing answer, as a sentence. */
  error: string | null;
}

/** What a view asks the extension, derived from the state of the page. */
export interface Asks<Name extends keyof TimelineApi> {
  method: Name;
  /** What a state asks. Null ends the question and its answer; undefined ends it and keeps the last answer. */
  query: (state: ViewState) => TimelineApi[Name]['params'] | null | undefined;
  /** What an answer is about, by default a device of a snapshot: an answer about something else is discarded. */
  subject?: (query: TimelineApi[Name]['params']) => unknown;
  /** True if the last answer stays until there is one about the next subject, and after a failure. */
  outlives?: boolean;
  /** Minimum time between two queries about one subject, for answers that cost more than a frame. */
  paceMs?: number;
}

/** The pace of curves and bands: during zoom and pan, the present picture is stretched. */
export const CURVE_PACE_MS = 150;
const STEP_OF_PIXELS = 64;

export class Question<Name extends keyof TimelineApi, Answer = TimelineApi[Name]['result']> {
  readonly store = new Store<Answered<Answer>>({ answer: null, loading: false, error: null });
  private readonly latest: Latest<TimelineApi[Name]['params'], Answer>;
  /** The last query, its subject, and the state of the extension's files that it asked about. */
  private last = { asked: '', about: '', revision: -1 };

  /** @param receive what the page keeps of a result, by default all */
  constructor(
    private readonly page: Store<ViewState>,
    host: Pick<Host, 'call'>,
    private readonly asks: Asks<Name>,
    receive = (result: TimelineApi[Name]['result']): Answer => result as Answer,
  ) {
    const { method, outlives = false, paceMs } = asks;
    this.latest = new Latest(
      async (query, signal) => receive(await host.call(method, query, signal)),
      {
        answer: (answer) => this.store.update({ answer, error: null }),
        failure: (error) => this.store.update({ ...(!outlives && { answer: null }), error: reasonOf(error) }),
        settled: () => this.store.update({ loading: false }),
      },
      paceMs,
    );
    page.watch(() => this.follow());
  }

  /** The last answer, null without one. */
  get answer(): Answer | null {
    return this.store.get().answer;
  }

  /** True while the answer is to an earlier query than the one that waits. */
  get isOutdated(): boolean {
    return this.latest.isWaiting;
  }

  /** Asks again, after a failure. */
  retry(): void {
    this.last.asked = '';
    this.follow();
  }

  private follow(): void {
    const state = this.page.get();
    const query = this.asks.query(state);
    if (query == null) {
      if (this.store.get().loading || query === null) this.last.asked = '';
      this.latest.cancel();
      this.store.update({ loading: false, ...(query === null && { answer: null, error: null }) });
      return;
    }
    const { revision } = state;
    const { subject = deviceOf, outlives = false } = this.asks;
    const asked = JSON.stringify([query, revision]);
    if (asked === this.last.asked) return;
    const about = JSON.stringify(subject(query));
    const isOther = about !== this.last.about;
    const isObsolete = isOther || revision !== this.last.revision;
    this.last = { asked, about, revision };
    // What is open is obsolete then, or lost.
    if (isObsolete) this.latest.restart(query);
    else this.latest.request(query);
    this.store.update({ loading: true, error: null, ...(isOther && !outlives && { answer: null }) });
  }
}

function deviceOf(query: object): unknown {
  const { path, device }: Partial<Selection> = query;
  return [path, device];
}

/** The width of a picture in steps, so that resizing the window causes few requests. */
export function coarse(pixels: number): number {
  return Math.ceil(pixels / STEP_OF_PIXELS) * STEP_OF_PIXELS;
}

/** Why something failed, in a sentence. */
export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** True if an answer is about the device of the snapshot that shows. */
export function isShown({ path, device }: Selection, { selection }: Pick<ViewState, 'selection'>): boolean {
  return path === selection?.path && device === selection.device;
}

/** The curve of the selection; null while that of another snapshot shows. */
export function currentCurve(state: ViewState): ViewState['curve'] {
  return state.curve !== null && isShown(state.curve, state) ? state.curve : null;
}
