/**
 * Questions of which only the newest matters: one is open at a time, of those that come meanwhile the last is asked
 * next. So a curve follows a zoom at the speed at which answers come, and never lags behind a queue.
 */
export class Latest<Question, Answer> {
  private open: AbortController | null = null;
  private next: { question: Question } | null = null;

  /**
   * @param ask sends a question; its promise may fail
   * @param on receives each answer or failure; `settled` follows when nothing is open any more
   */
  constructor(
    private readonly ask: (question: Question, signal: AbortSignal) => Promise<Answer>,
    private readonly on: {
      answer: (answer: Answer, question: Question) => void;
      failure: (error: unknown, question: Question) => void;
      settled: () => void;
    },
  ) {}

  /** Asks now, or when the open question is answered. */
  request(question: Question): void {
    if (this.open === null) void this.run(question);
    else this.next = { question };
  }

  /** Gives up what is open (its answer is of no use any more, or may be lost) and asks at once. */
  restart(question: Question): void {
    this.cancel();
    void this.run(question);
  }

  /** Gives up what is open and asks nothing. */
  cancel(): void {
    this.next = null;
    this.open?.abort();
    this.open = null;
  }

  private async run(question: Question): Promise<void> {
    const abort = new AbortController();
    this.open = abort;
    try {
      const answer = await this.ask(question, abort.signal);
      if (!abort.signal.aborted) this.on.answer(answer, question);
    } catch (error) {
      if (!abort.signal.aborted) this.on.failure(error, question);
    }
    if (this.open !== abort) return;
    this.open = null;
    const { next } = this;
    this.next = null;
    if (next === null) this.on.settled();
    else void this.run(next.question);
  }
}
