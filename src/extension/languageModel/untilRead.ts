import type * as vscode from 'vscode';
import { disposeAll } from '../disposer.js';
import type { ResultsStore } from '../results/resultsStore.js';
import type { SnapshotSession } from '../session.js';

/** Resolves when everything that was found is read and judged, when that cannot be, or when the caller cancels. */
export async function untilRead(
  session: SnapshotSession,
  store: ResultsStore,
  token: vscode.CancellationToken,
): Promise<void> {
  const mustWait = (): boolean => session.reading && session.problem === null && !token.isCancellationRequested;
  if (!mustWait()) return;
  await new Promise<void>((resolve) => {
    const look = (): void => {
      if (mustWait()) return;
      disposeAll(listening);
      resolve();
    };
    const listening = [session.onDidChange(look), store.onDidChange(look), token.onCancellationRequested(look)];
  });
}
