/** Work for a question, which waits for its turn. */
interface Turn {
  readonly answer: Promise<unknown>;
  readonly abandoned: AbortController;
  /** Askers that still want the answer. */
  askers: number;
}

/** Answers one question after the other. Equal questions that wait share one answer, which is begun after all of them. */
export class Turns {
  private last: Promise<unknown> = Promise.resolve();
  private readonly waiting = new Map<string, Turn>();

  /** @param work is done once for all askers; its signal is aborted when none of them is left */
  take<Answer>(
    question: string,
    asker: AbortSignal,
    work: (abandoned: AbortSignal) => Promise<Answer>,
  ): Promise<Answer> {
    if (asker.aborted) return Promise.reject(asker.reason as Error);
    const turn = this.waiting.get(question) ?? this.add(question, work);
    turn.askers++;
    asker.addEventListener('abort', () => {
      turn.askers--;
      if (turn.askers > 0) return;
      turn.abandoned.abort();
      this.close(question, turn);
    });
    return turn.answer as Promise<Answer>;
  }

  /** Resolves once all questions so far are answered. */
  async end(): Promise<void> {
    await this.last;
  }

  private add(question: string, work: (abandoned: AbortSignal) => Promise<unknown>): Turn {
    const abandoned = new AbortController();
    const answer = this.last.then(() => {
      this.close(question, turn);
      abandoned.signal.throwIfAborted();
      return work(abandoned.signal);
    });
    const turn: Turn = { answer, abandoned, askers: 0 };
    this.last = answer.catch(() => undefined);
    this.waiting.set(question, turn);
    return turn;
  }

  private close(question: string, turn: Turn): void {
    if (this.waiting.get(question) === turn) this.waiting.delete(question);
  }
}
