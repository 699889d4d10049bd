import { createHash } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import type { FileLookup } from '../../core/attribution/owner.js';
import type { Bytes } from '../../core/model/units.js';
import { renderText } from '../../core/render/renderText.js';
import { joinReports, type RunPart } from '../../core/report/buildReport.js';
import type { ReportWorkspace } from '../../core/report/reportWorkspace.js';
import { VERSION } from '../../node/version.js';

const SCHEMA = 'leakline.rank/1';
/** As long as a report's lines may be: beyond, the digests are read. */
const MOST_BYTES: Bytes = 32 << 20;

/** What is reported of one rank, and all that it rests on. */
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

/** Reads a summary; null if there is none that can be trusted: it is made again from the digests. */
export async function readSummary(path: string): Promise<RankSummary | null> {
  try {
    if ((await stat(path)).size > MOST_BYTES) return null;
    const value: unknown = JSON.parse(await readFile(path, 'utf8'));
    const { schema, version } = value as Partial<Record<keyof RankSummary, unknown>>;
    if (schema !== SCHEMA || version !== VERSION) return null;
    const summary = value as RankSummary;
    // Whatever stands in a file, nothing that is made of it stumbles: it has been made once.
    const { runs, files, digests } = summary;
    renderText(joinReports(runs, { trends: [], cycles: [] }, 1), { mostLines: 1 });
    const isSound =
      Array.isArray(runs) &&
      [...files.flat(), ...digests].every((text) => text === null || typeof text === 'string') &&
      files.every(([recorded]) => typeof recorded === 'string');
    return isSound && typeof summary.workspace === 'string' ? summary : null;
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
