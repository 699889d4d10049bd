import * as vscode from 'vscode';
import { View } from '../contributions.js';
import type { ResultsStore } from '../results/resultsStore.js';
import type { SnapshotSession } from '../session.js';
import type { Timelines } from '../timeline/timelines.js';
import { pickSnapshot } from './pickSnapshot.js';

/**
 * Compares two snapshots in the editor and on the timeline: the given two, oldest first, or two that the user selects.
 */
export async function compareSnapshots(
  session: SnapshotSession,
  store: ResultsStore,
  timeline: Timelines,
  selected: readonly string[],
): Promise<void> {
  const pair = selected.length === 2 ? selected : await pickPair(store, selected.at(0));
  if (pair === undefined) return;
  await vscode.window.withProgress(
    { location: vscode.ProgressLocation.Window, title: vscode.l10n.t('Comparing snapshots') },
    async () => {
      const [a, b] = selected.length === 2 ? await oldestFirst(session, pair) : pair;
      await session.compare(a, b);
      await timeline.show({ path: b, compared: { a, b } }, true);
    },
  );
  await vscode.commands.executeCommand(`${View.compare}.focus`);
}

async function pickPair(store: ResultsStore, first: string | undefined): Promise<readonly string[] | undefined> {
  const { t } = vscode.l10n;
  const one = { title: t('Compare Snapshots (1/2)'), placeHolder: t('Which snapshot is the first one (before)?') };
  const before = first ?? (await pickSnapshot(store, one, null));
  if (before === undefined) return undefined;
  const two = { title: t('Compare Snapshots (2/2)'), placeHolder: t('Which snapshot is the second one (after)?') };
  const after = await pickSnapshot(store, two, before);
  return after === undefined ? undefined : [before, after];
}

/** A selection has no order: the snapshot of the earlier time or step comes first, else the one of the lower name. */
async function oldestFirst(session: SnapshotSession, [a, b]: readonly string[]): Promise<readonly string[]> {
  const first = (await session.open(a)).at(0);
  const second = (await session.open(b)).at(0);
  if (first === undefined || second === undefined) return [a, b];
  const order =
    first.takenAtUs !== null && second.takenAtUs !== null && first.takenAtUs !== second.takenAtUs
      ? first.takenAtUs - second.takenAtUs
      : first.step !== null && second.step !== null && first.step !== second.step
        ? first.step - second.step
        : a.localeCompare(b, undefined, { numeric: true });
  return order <= 0 ? [a, b] : [b, a];
}
