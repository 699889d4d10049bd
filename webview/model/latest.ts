/**
 * Questions of which only the latest matters: one is open at a time, and the last of the others is next. So a curve
 * follows a zoom without a queue.
 */
export class Latest<Question, Answer> {
  private open: AbortController | null = null;
  private next: { question: Question } | null = null;
  private askedAt = Number.NEGATIVE_INFINITY;
  private timer: ReturnType<typeof setTimeout> | undefined;

  /**
   * @param ask sends a question; its promise may fail
   * @param on receives each answer or failure; `settled` follows when nothing is open
   * @param paceMs minimum time between questions, for answers that cost more than a frame
   */
  constructor(
    private readonly ask: (question: Question, signal: AbortSignal) => Promise<Answer>,
    private readonly on: {
      answer: (answer: Answer, question: Question) => void;
      failure: (error: unknown, question: Question) => void;
      settled?: () => void;
    },
    private readonly paceMs = 0,
  ) {}

  /** True if a question waits for the open one, whose answer is outdated. */
  get isWaiting(): boolean {
    return this.next !== null;
  }

  /** Asks now, or when the open question is answered and it is time. */
  request(question: Question): void {
    this.next = { question };
    if (this.open === null) this.askNext();
  }

  /** Cancels the open request, whose answer is obsolete or lost, and sends a new one. */
  restart(question: Question): void {
    this.cancel();
    void this.run(question);
  }

  /** Cancels the open request and sends none. */
  cancel(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.next = null;
    this.open?.abort();
    this.open = null;
  }

  /** Sends the waiting request, at once if it is due. */
  private askNext(): void {
    const { next, timer } = this;
    if (next === null || timer !== undefined) return;
    const wait = this.askedAt + this.paceMs - performance.now();
    if (wait > 0) {
      this.timer = setTimeout(() => {
        this.timer = undefined;
        this.askNext();
      }, wait);
      return;
    }
    this.next = null;
    void this.run(next.question);
  }

  private async run(question: Question): Promise<void> {
    const abort = new AbortController();
    this.open = abort;
    this.askedAt = performance.now();
    try {
      const answer = await this.ask(question, abort.signal);
      if (!abort.signal.aborted) this.on.answer(answer, question);
    } catch (error) {
      if (!abort.signal.aborted) this.on.failure(error, question);
    }
    if (this.open !== abort) return;
    this.open = null;
    if (this.next === null) this.on.settled?.();
    else this.askNext();
  }
}
