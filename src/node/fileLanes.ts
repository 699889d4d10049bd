/**
 * Calls of the file system that may never return, such as those to a network that is gone. Each of them keeps one of
 * the four file threads of the process, so they share fewer lanes than that.
 */
export class FileLanes {
  private taken = 0;
  private stuck = 0;
  private readonly waiting: ((isFree: boolean) => void)[] = [];

  /** @param silentAfterMs time after which a call counts as stuck, in milliseconds */
  constructor(
    private readonly lanes: number,
    private readonly silentAfterMs: number,
  ) {}

  /** The result of a call; undefined without an answer, and while all lanes are stuck. */
  async ask<T>(call: () => Promise<T>): Promise<T | undefined> {
    if (this.stuck === this.lanes) return undefined;
    if (this.taken === this.lanes) {
      if (!(await new Promise<boolean>((resolve) => this.waiting.push(resolve)))) return undefined;
    } else this.taken++;
    let isLate = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const silence = new Promise<undefined>((resolve) => {
      timer = setTimeout(() => {
        isLate = true;
        this.stuck++;
        if (this.stuck === this.lanes) for (const next of this.waiting.splice(0)) next(false);
        resolve(undefined);
      }, this.silentAfterMs);
    });
    const answer = call().finally(() => {
      clearTimeout(timer);
      if (isLate) this.stuck--;
      const next = this.waiting.shift();
      if (next === undefined) this.taken--;
      else next(true);
    });
    return Promise.race([answer, silence]);
  }
}
