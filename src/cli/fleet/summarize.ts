import type { SummarizeArguments } from '../arguments.js';
import { noContents, type CommandContext } from '../inputs.js';
import { workspaceOf } from '../workspace.js';
import { digestFolders } from './digestFolders.js';
import { openGroups } from './gather.js';
import { isGroupOfShard, shardOf } from './shard.js';
import { joinedReport, readSummary, Reporting, summaryOf, summaryText } from './summary.js';

/**
 * Writes a summary of each rank of this task's shard, but for those that are there.
 * @returns false: `--fail-on` does not apply
 * @throws UsageError
 */
export async function summarizeRanks(command: SummarizeArguments, desk: CommandContext): Promise<boolean> {
  const workspace = await workspaceOf(command, desk);
  const shard = shardOf(command.shard, command.shards, process.env);
  const reporting = new Reporting(workspace);
  for (const folder of await digestFolders(command.inputs)) {
    const { path } = folder;
    const done = { summarized: 0, there: 0 };
    for (const group of await folder.groups()) {
      if (group.digests.length === 0 || !isGroupOfShard(shard, group.name)) continue;
      const { name, digests } = group;
      const target = folder.summaryPath(name);
      const known = (await readSummary(target))?.summary;
      const isOfThese = known?.workspace === reporting.key && known.digests.join() === digests.join();
      if (isOfThese && joinedReport([known]) !== null) {
        done.there++;
        continue;
      }
      const contents = noContents();
      await openGroups([{ ...group, folder }], contents, desk);
      for (const { message } of contents.failed) desk.complain(message);
      // A log covers all processes beside it: report reads the digests themselves.
      if (contents.trends.length + contents.cycles.length > 0) continue;
      desk.analyzing();
      const summary = await summaryOf(contents.digests, digests, reporting);
      // No sync: a reader detects a damaged summary.
      await folder.write(target, summaryText(summary), { isSynced: false });
      done.summarized++;
    }
    desk.print(`${path}: ${done.summarized} ranks summarized, ${done.there} there.\n`);
  }
  return false;
}
