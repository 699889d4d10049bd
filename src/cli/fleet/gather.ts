import { join } from 'node:path';
import type { ByteSource } from '../../core/bytes/byteSource.js';
import { groupBy } from '../../core/maps.js';
import { mapPaths, type PathMapping, type UnmappedFiles } from '../../core/attribution/pathMapping.js';
import type { Report } from '../../core/report/report.js';
import { ReportsFromSources } from '../../core/report/reportFromSources.js';
import { filesOf, type ReportWorkspace } from '../../core/report/reportWorkspace.js';
import { OtherVersionError, readFleetFile } from '../../node/fleetFile.js';
import { FleetFolder, type RankGroup } from '../../node/fleetFolder.js';
import { contentsOf, type Contents, type CommandContext } from '../inputs.js';
import { isMappedAlike, joinedReport, readSummary, type RankSummary } from './summary.js';

/** A group of digests, to be opened where its summary does not do. */
interface Group extends RankGroup {
  readonly folder: FleetFolder;
}

/** The contents of folders of digests. */
interface Gathered {
  /** Of ranks without a summary that does. */
  readonly contents: Contents;
  readonly summaries: readonly { readonly group: Group; readonly summary: RankSummary }[];
}

/**
 * Gathers summaries of the same digests and workspace, else digests. @param workspace its key; null reads all digests
 */
export async function gather(
  paths: readonly string[],
  workspace: string | null,
  context: CommandContext,
): Promise<Gathered> {
  const contents: Contents = { failed: [], digests: [], trends: [], cycles: [] };
  const open: Group[] = [];
  const summaries: { group: Group; summary: RankSummary }[] = [];
  for (const path of paths) {
    const folder = new FleetFolder(path);
    contents.failed.push(...(await folder.failed()));
    for (const group of (await folder.groups()).map((one) => ({ ...one, folder }))) {
      const summary = workspace === null ? null : await summaryOf(folder.summaryPath(group.name), context);
      // Summaries may have been copied here without their digests.
      const isOfThese = group.digests.length === 0 || summary?.digests.join() === group.digests.join();
      if (summary?.workspace === workspace && isOfThese) summaries.push({ group, summary });
      else open.push(group);
    }
  }
  await openGroups(open, contents, context);
  return { contents, summaries };
}

async function summaryOf(path: string, context: CommandContext): Promise<RankSummary | null> {
  if (context.excluded.has(path)) return null;
  context.reading(path);
  const summary = await readSummary(path);
  context.read(path, 0);
  return summary;
}

/** Reads the digests of groups. */
export async function openGroups(groups: readonly Group[], into: Contents, context: CommandContext): Promise<void> {
  const others = new Map<string, number>();
  for (const { folder, name, digests } of groups) {
    if (digests.length === 0)
      context.complain(`${folder.summaryPath(name)} is of a different workspace or version of Leakline, or damaged.`);
    for (const file of digests) {
      const path = join(folder.path, 'digests', name, file);
      if (context.excluded.has(path)) continue;
      context.reading(path);
      try {
        const input = await readFleetFile(path);
        if ('digest' in input) into.digests.push(input.digest);
        else {
          const { trends, cycles } = await contentsOf(bytesOf(input.name, input.bytes), NOTHING_BESIDE);
          into.trends.push(...trends);
          into.cycles.push(...cycles);
        }
      } catch (error) {
        if (error instanceof OtherVersionError) others.set(folder.path, (others.get(folder.path) ?? 0) + 1);
        else
          into.failed.push({
            path,
            message: `${path} is not a digest that can be trusted. Remove it and digest again.`,
          });
      }
      context.read(path, 0);
    }
  }
  for (const [path, count] of others)
    context.complain(`${path}: ${count} digests are of a different version of Leakline and left out. Digest again.`);
  for (const found of [into.digests, into.trends, into.cycles] as { path: string }[][])
    found.sort((a, b) => asWalked(a.path, b.path));
}

/** The report over gathered files, as if one process had read all snapshots. */
export async function reportOfGathered(
  { contents, summaries }: Gathered,
  workspace: ReportWorkspace,
  context: CommandContext,
  reports = new ReportsFromSources(() => performance.now()),
): Promise<{ report: Report; paths: UnmappedFiles }> {
  const mappingOf = (): PathMapping => {
    const files = filesOf(contents.digests, contents);
    for (const { summary } of summaries) for (const [recorded] of summary.files) files.add(recorded);
    return mapPaths([...files], workspace.files, workspace.rules);
  };
  let mapping = mappingOf();
  // A log of the machine covers all processes beside it.
  const isAlike = (summary: RankSummary): boolean =>
    contents.trends.length + contents.cycles.length === 0 && isMappedAlike(summary, (file) => mapping.lookup(file));
  const byMapping = groupBy(summaries, ({ summary }) => isAlike(summary));
  const same = byMapping.get(true) ?? [];
  const open = byMapping.get(false) ?? [];
  if (open.length > 0) {
    await openGroups(groupsOf(open), contents, context);
    mapping = mappingOf();
  }
  context.analyzing();
  const { report, paths, jobs } = await reports.report(contents.digests, workspace, contents, mapping);
  const runs = report.runs.map((run, i) => ({ run, names: jobs[i] }));
  const whole =
    same.length === 0
      ? report
      : joinedReport(
          same.map(({ summary }) => summary),
          { runs, others: report, expected: workspace.expectRanks ?? null },
        );
  if (whole !== null) return { report: { ...whole, failed: contents.failed }, paths };
  // Summaries that stumble are made from the digests: those that do so alone, else all.
  const sound = same.filter(({ summary }) => joinedReport([summary]) !== null);
  const kept = new Set(sound.length < same.length ? sound : []);
  await openGroups(groupsOf(same.filter((one) => !kept.has(one))), contents, context);
  return reportOfGathered({ contents, summaries: [...kept] }, workspace, context, reports);
}

function groupsOf(summaries: Gathered['summaries']): Group[] {
  return summaries.map(({ group }) => group);
}

export const NOTHING_BESIDE = { recording: null, rank: null, savedAtUs: null };

export function bytesOf(name: string, bytes: Uint8Array): ByteSource {
  return {
    name,
    size: bytes.length,
    read: (offset, into) => {
      const piece = bytes.subarray(offset, offset + into.length);
      into.set(piece);
      return Promise.resolve(piece.length);
    },
  };
}

/** The order of `walkFiles`: the files of a folder, then its folders. */
function asWalked(a: string, b: string): number {
  const [x, y] = [a.split('/'), b.split('/')];
  const apart = x.findIndex((part, i) => part !== y[i]);
  if (apart < 0) return x.length - y.length;
  const isFile = (parts: readonly string[]): boolean => apart >= parts.length - 1;
  if (isFile(x) !== isFile(y)) return isFile(x) ? -1 : 1;
  return x[apart] < (y[apart] ?? '') ? -1 : 1;
}
