import * as vscode from 'vscode';
import type { SnapshotSession } from '../session.js';
import type { TimelinePanel } from '../timeline/timelinePanel.js';
import { browse } from './pickSnapshot.js';

/** Reads files that the user names, and shows the last of them on the timeline. */
export async function openSnapshot(
  session: SnapshotSession,
  timeline: TimelinePanel,
  given: readonly string[],
): Promise<void> {
  const paths = given.length > 0 ? given : await browse(vscode.l10n.t('Open Snapshot'), true);
  const last = paths.at(-1);
  if (last === undefined) return;
  await vscode.window.withProgress(
    { location: vscode.ProgressLocation.Window, title: vscode.l10n.t('Reading snapshots') },
    async () => {
      await Promise.all(paths.map((path) => session.open(path)));
      await session.reported();
    },
  );
  timeline.show(last);
}
