import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { OtherVersionError, readFleetFile } from '../../node/fleetFile.js';
import type { CleanArguments } from '../arguments.js';
import type { CommandContext } from '../inputs.js';
import { digestFolders } from './digestFolders.js';

/**
 * Removes digests of different versions, summaries without digests, and partial files of killed tasks.
 * @returns false: `--fail-on` does not apply
 * @throws UsageError
 */
export async function cleanFolders({ inputs }: CleanArguments, { print }: CommandContext): Promise<boolean> {
  for (const folder of await digestFolders(inputs)) {
    const { path } = folder;
    await folder.sweep();
    const removed = { digests: 0, summaries: 0 };
    for (const { name, digests } of await folder.groups()) {
      let left = digests.length;
      for (const file of digests) {
        const digest = join(path, 'digests', name, file);
        const isOther = await readFleetFile(digest).then(
          () => false,
          (error: unknown) => error instanceof OtherVersionError,
        );
        if (!isOther) continue;
        await rm(digest, { force: true });
        removed.digests++;
        left--;
      }
      if (left > 0) continue;
      removed.summaries += await rm(folder.summaryPath(name)).then(
        () => 1,
        () => 0,
      );
    }
    print(`${path}: ${removed.digests} digests and ${removed.summaries} summaries removed.\n`);
  }
  return false;
}
