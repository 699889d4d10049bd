/** A loop that is running, and its present round. */
export interface LoopRound {
  /** Names the loop: the same whenever it runs. */
  readonly loop: string;
  /** Names the round: never twice the same. */
  readonly round: number;
}
