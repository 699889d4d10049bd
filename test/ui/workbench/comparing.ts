/** The conversation of Compare Snapshots. */
import { eventually } from '../../support/eventually.js';
import type { Workbench } from './workbench.js';

/** Picks two known snapshots by the names of their files. */
export async function comparePair(workbench: Workbench, before: string, after: string): Promise<void> {
  const { quickInput } = workbench;
  await workbench.runCommand('Leakline: Compare Snapshots…');
  await quickInput.accept(before);
  // The second question leaves the first answer out.
  await eventually(async () => {
    if ((await quickInput.labels()).includes(before)) throw new Error('still asks for the first snapshot');
  });
  await quickInput.accept(after);
}
