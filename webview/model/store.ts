/** A value that views watch. Listeners run once per change, in the order in which they came. */
export class Store<State extends object> {
  private readonly listeners = new Set<(state: State, before: State) => void>();

  constructor(private state: State) {}

  get(): Readonly<State> {
    return this.state;
  }

  /** Replaces the given parts; equal values notify no listener. */
  update(parts: Partial<State>): void {
    const before = this.state;
    const changed = (Object.keys(parts) as (keyof State)[]).some((key) => !Object.is(parts[key], before[key]));
    if (!changed) return;
    this.state = { ...before, ...parts };
    for (const listener of this.listeners) listener(this.state, before);
  }

  /** Calls `listener` after each change, and once now. */
  watch(listener: (state: State, before: State) => void): void {
    this.listeners.add(listener);
    listener(this.state, this.state);
  }

  /** Calls `listener` now, and after each change of a part that `select` names. */
  follow<const Parts extends readonly unknown[]>(
    select: (state: State) => Parts,
    listener: (parts: NoInfer<Parts>) => void,
  ): void {
    let known: Parts | null = null;
    this.watch((state) => {
      const parts = select(state);
      const isSame = known?.length === parts.length && known.every((part, at) => Object.is(part, parts[at]));
      if (isSame) return;
      known = parts;
      listener(parts);
    });
  }
}
