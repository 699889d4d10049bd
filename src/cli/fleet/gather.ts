import { join } from 'node:path';
import type { ByteSource } from '../../core/bytes/byteSource.js';
import { groupBy } from '../../core/maps.js';
import { mapPaths, type PathMapping, type UnmappedFiles } from '../../core/attribution/paths/pathMapping.js';
import { maxCharacters } from '../../core/report/boundReport.js';
import type { Report } from '../../core/report/report.js';
import { filesOf } from '../../core/report/reportWorkspace.js';
import type { Bytes } from '../../core/model/units.js';
import { OtherVersionError, readFleetFile } from '../../node/fleetFile.js';
import { FleetFolder } from '../../node/fleetFolder.js';
import { unfoldingOf } from '../../node/gunzip.js';
import { addContents, contentsOf, noContents, type Contents, type CommandContext } from '../inputs.js';
import { HeldSummaries, type Group, type GroupSummary } from './heldSummaries.js';
import { isMappedAlike, joinedReport, readSummary, summaryOf, type RankSummary, type Reporting } from './summary.js';

/** The contents of folders of digests. */
interface Gathered {
  /** Contents of ranks that are reported together. */
  readonly contents: Contents;
  /** Summaries of ranks that are reported one by one. */
  readonly summaries: readonly GroupSummary[];
}

/** Maximum number of digests without compression that are reported on together: those of one rank may be as many. */
const MAX_HELD: Bytes = 1 << 26;

/** Gathers summaries of the same digests and workspace, else digests. @param max digests that are held */
export async function gather(
  paths: readonly string[],
  reporting: Reporting,
  context: CommandContext,
  max = MAX_HELD,
): Promise<Gathered> {
  const contents = noContents();
  const groups: Group[] = [];
  for (const path of paths) {
    const folder = new FleetFolder(path);
    contents.failed.push(...(await folder.failed()));
    groups.push(...(await folder.groups()).map((one) => ({ ...one, folder })));
  }
  const open: Group[] = [];
  const held = new HeldSummaries(maxCharacters(groups.length));
  for (const group of groups) {
    const known = await knownSummary(group.folder.summaryPath(group.name), context);
    // Summaries may have been copied here without their digests.
    const isOfThese = group.digests.length === 0 || known?.summary.digests.join() === group.digests.join();
    if (known?.summary.workspace === reporting.key && isOfThese)
      open.push(...held.addFromFile({ group, summary: known.summary }, known.size));
    else open.push(group);
  }
  await openGroups(open, contents, context, { max, held, reporting });
  return { contents, summaries: held.all };
}

async function knownSummary(path: string, context: CommandContext): ReturnType<typeof readSummary> {
  if (context.excluded.has(path)) return null;
  context.reading(path);
  const known = await readSummary(path);
  context.read(path, 0);
  return known;
}

/** Takes the digests that exceed the memory for held ones. */
interface Beyond {
  readonly max: Bytes;
  readonly held: HeldSummaries;
  readonly reporting: Reporting;
  /** The mapping of all files; without it, each rank has its own. */
  readonly mapping?: PathMapping;
}

/** Reads the digests of groups. @param beyond a total, groups are summarized one by one; null for none */
export async function openGroups(
  groups: readonly Group[],
  into: Contents,
  context: CommandContext,
  beyond: Beyond | null = null,
): Promise<void> {
  const others = new Map<string, number>();
  let opened: { group: Group; contents: Contents }[] = [];
  let bytes = 0;
  let hasLogs = isLogged(into);
  for (const group of groups) {
    const contents = noContents();
    bytes += await openGroup(group, contents, others, context);
    opened.push({ group, contents });
    hasLogs ||= isLogged(contents);
    if (beyond === null || bytes <= beyond.max || hasLogs) continue;
    for (const { group: one, contents: read } of opened) {
      into.failed.push(...read.failed);
      if (read.digests.length > 0) await summarizeGroup(one, read, beyond, context);
    }
    opened = [];
  }
  for (const [path, count] of others)
    context.complain(`${path}: ${count} digests are of a different version of Leakline and left out. Digest again.`);
  for (const { contents } of opened) addContents(into, contents);
  sortAsWalked(into);
}

async function summarizeGroup(
  group: Group,
  contents: Contents,
  { held, reporting, mapping }: Beyond,
  context: CommandContext,
): Promise<void> {
  // If it ends the thread, it is named.
  context.reading(pathIn(group, group.digests[0]));
  sortAsWalked(contents);
  held.add({ group, summary: await summaryOf(contents.digests, group.digests, reporting, mapping) });
}

/** Reads the digests of one group. @param others counts digests of different versions, by folder @returns their size */
async function openGroup(
  group: Group,
  into: Contents,
  others: Map<string, number>,
  context: CommandContext,
): Promise<Bytes> {
  const { folder, name, digests } = group;
  if (digests.length === 0)
    context.complain(`${folder.summaryPath(name)} is of a different workspace or version of Leakline, or damaged.`);
  let bytes = 0;
  for (const file of digests) {
    const path = pathIn(group, file);
    if (context.excluded.has(path)) continue;
    context.reading(path);
    try {
      const input = await readFleetFile(path);
      bytes += input.size;
      if ('digest' in input) into.digests.push(input.digest);
      else {
        const { trends, cycles } = await storedContents(input.name, input.bytes);
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
  return bytes;
}

function pathIn({ folder, name }: Group, file: string): string {
  return join(folder.path, 'digests', name, file);
}

/** A log of the machine covers all processes beside it. */
function isLogged({ trends, cycles }: Contents): boolean {
  return trends.length + cycles.length > 0;
}

/** The report over gathered files, as if one process had read all snapshots. */
export async function reportOfGathered(
  { contents, summaries }: Gathered,
  reporting: Reporting,
  context: CommandContext,
  max = MAX_HELD,
): Promise<{ report: Report; paths: UnmappedFiles }> {
  const { workspace, reports } = reporting;
  const mappingOf = (): PathMapping => {
    const files = filesOf(contents.digests, contents);
    for (const { summary } of summaries) for (const [recorded] of summary.files) files.add(recorded);
    return mapPaths([...files], workspace);
  };
  let mapping = mappingOf();
  const isAlike = (summary: RankSummary): boolean =>
    !isLogged(contents) && isMappedAlike(summary, (file) => mapping.lookup(file));
  const byMapping = groupBy(summaries, ({ summary }) => isAlike(summary));
  const open = byMapping.get(false) ?? [];
  const held = new HeldSummaries(maxCharacters(summaries.length));
  if (open.length > 0) {
    await openGroups(groupsOf(open), contents, context, { max, held, reporting, mapping });
    mapping = mappingOf();
  }
  const same = [...(byMapping.get(true) ?? []), ...held.all];
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
  return reportOfGathered({ contents, summaries: [...kept] }, reporting, context, max);
}

function groupsOf(summaries: Gathered['summaries']): Group[] {
  return summaries.map(({ group }) => group);
}

/** The contents of a log or cycle graph that is stored completely. */
export function storedContents(name: string, bytes: Uint8Array): Promise<Contents> {
  const source: ByteSource = {
    name,
    size: bytes.length,
    unfolding: unfoldingOf(bytes.length),
    read: (offset, into) => {
      const piece = bytes.subarray(offset, offset + into.length);
      into.set(piece);
      return Promise.resolve(piece.length);
    },
  };
  return contentsOf(source, { recording: null, rank: null, savedAtUs: null });
}

function sortAsWalked({ digests, trends, cycles }: Contents): void {
  for (const found of [digests, trends, cycles] as { path: string }[][]) found.sort((a, b) => asWalked(a.path, b.path));
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
