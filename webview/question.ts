/** A question that changes with the page, its newest answer, and its state. */
import { Latest } from './latest.js';
import { Store } from './store.js';
import type { Selection, ViewState } from './viewState.js';

const STEP_OF_PIXELS = 64;

interface Answered<Answer> {
  /** The last answer, perhaps to an earlier question while the next one loads. */
  answer: Answer | null;
  loading: boolean;
  /** The reason for a missing answer, as a sentence. */
  error: string | null;
}

export class Question<Query, Answer> {
  readonly store = new Store<Answered<Answer>>({ answer: null, loading: false, error: null });
  private readonly latest: Latest<Query, Answer>;

  /** @param accepts false for an answer about something that does not show any more */
  constructor(
    ask: (query: Query, signal: AbortSignal) => Promise<Answer>,
    accepts: (answer: Answer) => boolean = () => true,
  ) {
    this.latest = new Latest(ask, {
      answer: (answer) => {
        if (accepts(answer)) this.store.update({ answer, error: null });
      },
      failure: (error) => this.store.update({ answer: null, error: sentenceOf(error) }),
      settled: () => this.store.update({ loading: false }),
    });
  }

  send(query: Query): void {
    this.store.update({ loading: true, error: null });
    this.latest.request(query);
  }

  /** Discards the answer. An open question may still answer, if accepted. */
  forget(): void {
    this.store.update({ answer: null, error: null });
  }

  /** Cancels the open question, too. */
  cancel(): void {
    this.latest.cancel();
    this.store.update({ answer: null, loading: false, error: null });
  }
}

/** Step of a picture's width, so that resizing the window causes few requests. */
export function coarse(pixels: number): number {
  return Math.ceil(pixels / STEP_OF_PIXELS) * STEP_OF_PIXELS;
}

/** Why something failed, in a sentence. */
export function sentenceOf(error: unknown): string {
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
