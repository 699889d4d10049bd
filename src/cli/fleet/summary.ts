import { createHash } from 'node:crypto';
import * as v from 'valibot';
import type { FileLookup } from '../../core/attribution/owner.js';
import type { PathMapping } from '../../core/attribution/paths/pathMapping.js';
import type { SnapshotDigest } from '../../core/digest/digest.js';
import type { Bytes } from '../../core/model/units.js';
import { renderText } from '../../core/render/renderText.js';
import { parseJson } from '../../core/formats/json/parseJson.js';
import { joinReports, type RunPart } from '../../core/report/buildReport.js';
import type { Report } from '../../core/report/report.js';
import { ReportsFromSources } from '../../core/report/sources/reportFromSources.js';
import { filesOf, mapDigests, type ReportWorkspace } from '../../core/report/reportWorkspace.js';
import { readSmallFile } from '../../node/fileSource.js';
import { VERSION } from '../../node/version.js';

const SCHEMA = 'leakline.rank/1';
/** Maximum size of the lines of a report. Above it, the digests are read. */
const MAX_BYTES: Bytes = 32 << 20;

/** The report on one rank, and its inputs. */
const rankSummary = v.object({
  schema: v.literal(SCHEMA),
  version: v.literal(VERSION),
  /** Names the workspace: its sources and rules. */
  workspace: v.string(),
  /** Names of the digests' files. */
  digests: v.array(v.string()),
  /** Recorded files, and the workspace files that they are. */
  files: v.array(v.strictTuple([v.string(), v.nullable(v.string())])),
  /** Checked when they are joined. */
  runs: v.array(v.custom<RunPart>(() => true)),
});
export type RankSummary = v.InferOutput<typeof rankSummary>;

/** The basis of summaries. */
export class Reporting {
  readonly reports = new ReportsFromSources();
  private knownKey: string | null = null;

  constructor(readonly workspace: ReportWorkspace) {}

  /** Names the workspace: all its sources are read for it. */
  get key(): string {
    return (this.knownKey ??= workspaceKey(this.workspace));
  }
}

/** The text of a summary's file. */
export function summaryText(summary: Omit<RankSummary, 'schema' | 'version'>): string {
  return `${JSON.stringify({ schema: SCHEMA, version: VERSION, ...summary })}\n`;
}

/** The summary of one rank. @param names of the digests' files @param mapping of these and other files */
export async function summaryOf(
  digests: readonly SnapshotDigest[],
  names: readonly string[],
  { workspace, key, reports }: Reporting,
  mapping: PathMapping = mapDigests(digests, workspace),
): Promise<RankSummary> {
  const { report, jobs } = await reports.report(digests, workspace, undefined, mapping);
  return {
    schema: SCHEMA,
    version: VERSION,
    workspace: key,
    digests: [...names],
    files: [...filesOf(digests)].map((file) => [file, mapping.lookup(file)]),
    runs: report.runs.map((run, i) => ({ run, names: jobs[i] })),
  };
}

/** Reads a summary, and its size; null if it is invalid: it is made again from the digests. */
export async function readSummary(path: string): Promise<{ summary: RankSummary; size: Bytes } | null> {
  try {
    const { bytes } = await readSmallFile(path, MAX_BYTES);
    const summary = parseJson(bytes.toString());
    return v.is(rankSummary, summary) ? { summary, size: bytes.length } : null;
  } catch {
    return null;
  }
}

/** The other parts of a report over summaries. */
interface Beside {
  readonly runs: readonly RunPart[];
  readonly others: Pick<Report, 'trends' | 'cycles'>;
  /** Ranks of the job, null if it is not known. */
  readonly expected: number | null;
}

const ALONE: Beside = { runs: [], others: { trends: [], cycles: [] }, expected: 1 };

/** The report over summaries; null if one of them is invalid: rendering it once checks everything. */
export function joinedReport(
  summaries: readonly RankSummary[],
  { runs, others, expected }: Beside = ALONE,
): Report | null {
  try {
    const report = joinReports([...runs, ...summaries.flatMap((summary) => summary.runs)], others, expected);
    renderText(report, { maxLines: 1 });
    return report;
  } catch {
    return null;
  }
}

/** True if a report of all ranks would name the lines of this one as its summary does. */
export function isMappedAlike({ files }: RankSummary, lookup: FileLookup): boolean {
  return files.every(([recorded, file]) => lookup(recorded) === file);
}

/** Names all of a workspace that a report rests on. */
export function workspaceKey({ files, rules, sourceFacts }: ReportWorkspace): string {
  const facts = files.map((file) => [file, sourceFacts?.(file)?.sha256 ?? null]);
  return createHash('sha256')
    .update(JSON.stringify([rules, facts]))
    .digest('hex');
}
