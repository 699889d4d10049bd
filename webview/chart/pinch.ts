/** Two fingers on the plot: how far they spread, and where between them. Pixels along the x axis. */
export class Pinch {
  private readonly fingers = new Map<number, number>();

  /** @returns true if this is the second finger: what the first one began is over */
  down(pointer: number, x: number): boolean {
    this.fingers.set(pointer, x);
    return this.fingers.size === 2;
  }

  up(pointer: number): void {
    this.fingers.delete(pointer);
  }

  /** @returns null unless two fingers are down; `factor` is below 1 where they spread, `moved` is how far their middle went */
  move(pointer: number, x: number): { centre: number; factor: number; moved: number } | null {
    const before = this.fingers.get(pointer);
    if (before === undefined) return null;
    this.fingers.set(pointer, x);
    if (this.fingers.size !== 2) return null;
    const other = [...this.fingers].find(([finger]) => finger !== pointer)?.[1] ?? x;
    const spread = Math.max(NARROWEST, Math.abs(x - other));
    const centre = (x + other) / 2;
    return { centre, factor: Math.max(NARROWEST, Math.abs(before - other)) / spread, moved: (x - before) / 2 };
  }
}

/** Fingers closer together than this would zoom without end. */
const NARROWEST = 20;
