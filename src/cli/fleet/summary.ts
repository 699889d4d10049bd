import { createHash } from 'node:crypto';
import * as v from 'valibot';
import type { FileLookup } from '../../core/attribution/owner.js';
import type { Bytes } from '../../core/model/units.js';
import { renderText } from '../../core/render/renderText.js';
import { parseJson } from '../../core/formats/json/parseJson.js';
import { joinReports, type RunPart } from '../../core/report/buildReport.js';
import type { Report } from '../../core/report/report.js';
import type { ReportWorkspace } from '../../core/report/reportWorkspace.js';
import { readSmallFile } from '../../node/fileSource.js';
import { VERSION } from '../../node/version.js';

const SCHEMA = 'leakline.rank/1';
/** As long as a report's lines may be: beyond, the digests are read. */
const MOST_BYTES: Bytes = 32 << 20;

/** The report on one rank, and its inputs. */
export interface RankSummary {
  readonly schema: typeof SCHEMA;
  readonly version: string;
  /** Names the workspace: its sources and rules. */
  readonly workspace: string;
  /** Names of the digests' files. */
  readonly digests: readonly string[];
  /** Recorded files, and the workspace files that they are. */
  readonly files: readonly (readonly [recorded: string, file: string | null])[];
  readonly runs: readonly RunPart[];
}

/** The text of a summary's file. */
export function summaryText(summary: Omit<RankSummary, 'schema' | 'version'>): string {
  return `${JSON.stringify({ schema: SCHEMA, version: VERSION, ...summary } satisfies RankSummary)}\n`;
}

/** Reports are checked when they are joined. */
const rankSummary = v.object({
  schema: v.literal(SCHEMA),
  version: v.literal(VERSION),
  workspace: v.string(),
  digests: v.array(v.string()),
  files: v.array(v.strictTuple([v.string(), v.nullable(v.string())])),
  runs: v.array(v.custom<RunPart>(() => true)),
});

/** Reads a summary; null if it is invalid: it is made again from the digests. */
export async function readSummary(path: string): Promise<RankSummary | null> {
  try {
    const value = parseJson((await readSmallFile(path, MOST_BYTES)).bytes.toString());
    return v.is(rankSummary, value) ? value : null;
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
    renderText(report, { mostLines: 1 });
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
