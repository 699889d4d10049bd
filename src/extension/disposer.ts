/** Anything that can be released: VS Code's own objects and ours. */
export interface Disposer {
  dispose(): unknown;
}

export function disposeAll(items: readonly Disposer[]): void {
  for (const item of items) item.dispose();
}

/** A group of listeners, until it is disposed of. */
export abstract class Listener implements Disposer {
  protected subscriptions: readonly Disposer[] = [];

  dispose(): void {
    disposeAll(this.subscriptions);
  }
}
