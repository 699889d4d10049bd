/** The planted programs and what is known of them: test/fixtures/planted/planted.json. */
import { evidenceText } from '../src/core/present/evidenceText.js';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { digestSnapshot, type SnapshotDigest } from '../src/core/digest/digest.js';
import { readSnapshot } from '../src/core/formats/readSnapshot.js';
import type { LineReport, RunReport, Verdict } from '../src/core/report/report.js';
import { ReportsFromSources } from '../src/core/report/sources/reportFromSources.js';
import type { ReportWorkspace } from '../src/core/report/reportWorkspace.js';
import { stepOfDigest } from '../src/core/runs/runs.js';
import { openFile } from '../src/node/fileSource.js';
import { readRecording } from '../src/node/recordingFile.js';
import { SourceFiles } from '../src/node/sourceFiles.js';

export interface PlantedProgram {
  name: string;
  silent: boolean;
  /** A known blind spot: what it must be called cannot be told from its recording. */
  blind?: boolean;
  /** It leaks, and what is seen does not prove it: its verdict is in the goldens. */
  unproved?: boolean;
  lines: { file: string; line: number; verdict: string }[];
  holder?: { file: string; line: number; also?: { file: string; line: number }[] };
  leakingRank?: number;
}

/** A planted program with its folder of snapshots. */
export interface RecordedProgram {
  program: PlantedProgram;
  snapshots: string;
}

export const PLANTED = join(import.meta.dirname, '../test/fixtures/planted');

/** Every planted program that is recorded, with its folder of snapshots. */
export function recordedPrograms(folder: string, recordings = join(folder, 'recordings')): RecordedProgram[] {
  const path = join(folder, 'planted.json');
  if (!existsSync(path)) return [];
  const { programs } = JSON.parse(readFileSync(path, 'utf8')) as { programs: PlantedProgram[] };
  return programs.flatMap((program) => {
    const snapshots = join(recordings, program.name);
    return existsSync(snapshots) ? [{ program, snapshots }] : [];
  });
}

/** The Python sources of the planted programs, as a workspace names them. */
export function plantedSources(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.py') && !name.startsWith('recordings') && !name.includes('site-packages'))
    .map((name) => name.replaceAll('\\', '/'));
}

/** The planted programs as a workspace. */
export function plantedWorkspace(folder: string): ReportWorkspace {
  const { lineText, sourceText, sourceFacts } = new SourceFiles([{ prefix: '', folder }]);
  return { files: plantedSources(folder), rules: [], lineText, sourceText, sourceFacts };
}

/** The available part of a program's recording and source. */
interface Available {
  readonly recorder: boolean;
  readonly source: boolean;
  readonly traces: boolean;
  /** Only the last of the snapshots so far. */
  readonly isLastOnly?: boolean;
}

export const MODES = {
  'recorder and source': { recorder: true, source: true, traces: true },
  recorder: { recorder: true, source: false, traces: true },
  source: { recorder: false, source: true, traces: true },
  'source, last snapshot': { recorder: false, source: true, traces: true, isLastOnly: true },
  neither: { recorder: false, source: false, traces: true },
  'source, no traces': { recorder: false, source: true, traces: false },
  'neither, no traces': { recorder: false, source: false, traces: false },
} satisfies Record<string, Available>;
export type Mode = keyof typeof MODES;

/** Snapshots of later steps than a column says are left out. */
export const COLUMNS = [10, 20, 50, 80, 240, Number.POSITIVE_INFINITY] as const;

/** A program's report in one mode, after its first steps. */
export interface Judged {
  mode: Mode;
  steps: number;
  runs: readonly RunReport[];
}

const workspace = plantedWorkspace(PLANTED);
/** The files are known, what they say is not. */
const unread: ReportWorkspace = { files: workspace.files, rules: [] };

/**
 * Judges a program in every mode and after each number of steps. Each report has an engine of its own: what one proves,
 * the next does not know.
 */
export async function judgeProgram(
  recorded: RecordedProgram,
  modes: readonly Mode[] = Object.keys(MODES) as Mode[],
  digests: PlantedDigests | null = null,
): Promise<Judged[]> {
  const { alone, withRecorder } = digests ?? (await digestsOf(recorded));
  const judged: Judged[] = [];
  for (const mode of modes) {
    const { recorder, source, traces, isLastOnly = false }: Available = MODES[mode];
    const all = (recorder ? withRecorder : alone).map((digest) => (traces ? digest : untraced(digest)));
    let last: Judged | null = null;
    let seenBefore = -1;
    for (const steps of COLUMNS) {
      const seen = all.filter((digest) => (stepOfDigest(digest) ?? 0) <= steps);
      if (last === null || seen.length > seenBefore) {
        const reports = new ReportsFromSources();
        const { report } = await reports.report(isLastOnly ? seen.slice(-1) : seen, source ? workspace : unread);
        last = { mode, steps, runs: report.runs };
        seenBefore = seen.length;
      }
      judged.push({ ...last, steps });
    }
  }
  return judged;
}

/** All recorded programs with their snapshots; ends the process where there are none. */
export async function loadPlanted(): Promise<{ recorded: RecordedProgram[]; digests: Map<string, PlantedDigests> }> {
  const recorded = recordedPrograms(PLANTED);
  if (recorded.length === 0) {
    console.log('skipped: no recordings under test/fixtures/planted/recordings');
    process.exit(0);
  }
  const digests = new Map<string, PlantedDigests>();
  for (const one of recorded) digests.set(one.program.name, await digestsOf(one));
  return { recorded, digests };
}

/** A program's snapshots, without and with what the recorder wrote beside them. */
export interface PlantedDigests {
  alone: readonly SnapshotDigest[];
  withRecorder: readonly SnapshotDigest[];
}

/** Reads a program's snapshots. */
export async function digestsOf({ snapshots }: RecordedProgram): Promise<PlantedDigests> {
  const alone: SnapshotDigest[] = [];
  const withRecorder: SnapshotDigest[] = [];
  for (const name of readdirSync(snapshots, { recursive: true, encoding: 'utf8' }).sort()) {
    if (!name.endsWith('.pickle.gz')) continue;
    const path = join(snapshots, name);
    const file = await openFile(path);
    const snapshot = await readSnapshot(file.source);
    await file.close();
    const short = `${snapshots.split(/[\\/]/).at(-1) ?? ''}/${name.replaceAll('\\', '/')}`;
    alone.push(digestSnapshot(short, snapshot));
    withRecorder.push(digestSnapshot(short, snapshot, await readRecording(path)));
  }
  return { alone, withRecorder };
}

function untraced(digest: SnapshotDigest): SnapshotDigest {
  return { ...digest, eventCount: 0, heads: [], spans: [], steps: null, lifetimes: [] };
}

/** A line's verdict and holder as goldens print them: `leak train.py:27 by train.py:30`. */
function lineText({ file, line, verdict, holder }: LineReport): string {
  return `${verdict} ${file}:${line}${holder === null ? '' : ` by ${holder.file}:${holder.line}`}`;
}

/** Verdicts that say nothing of a line. */
const UNREPORTED: ReadonlySet<Verdict> = new Set(['steady', 'tooShort']);

/** The golden of a mode for one program, with each repeated result once. */
export function goldenText(name: string, judged: readonly Judged[]): string {
  const rows = judged.map(({ steps, runs }) => {
    const lines = runs.flatMap((run) => run.lines.filter(({ verdict }) => !UNREPORTED.has(verdict)));
    return { steps, text: [...new Set(lines.map(lineText))].sort().join('; ') };
  });
  const changed = rows.filter(({ text }, i) => i === 0 || text !== rows[i - 1].text);
  return [name, ...changed.map(({ steps, text }) => `  ${steps === Infinity ? 'all' : steps}: ${text}`.trimEnd())].join(
    '\n',
  );
}

/** The golden of reports for one program: every number and sentence of its verdicts. */
export function reportText(name: string, runs: readonly RunReport[]): string {
  const text = runs.map((run) =>
    [
      `${name}: ${run.verdict}, steps ${run.steps}, forecast ${JSON.stringify(run.forecast)}`,
      ...run.process.map(({ verdict, message }) => `  ${verdict}: ${message}`),
      ...run.lines
        .filter(({ verdict }) => !UNREPORTED.has(verdict))
        .map((line) => {
          const rate = line.bytesPerStep === null ? 'no rate' : `${Math.round(line.bytesPerStep)}/step`;
          const held = line.holder === null ? '' : ` held by ${line.holder.text} (${line.holder.source});`;
          const sums = `live ${line.liveBytes}, leaked ${line.leakedBytes}, ${rate}, ${line.confidence.toFixed(2)}`;
          return `  ${line.verdict} ${line.file}:${line.line} ${sums};${held} ${line.evidence === null ? 'no evidence' : evidenceText(line.evidence)}`;
        }),
    ].join('\n'),
  );
  return text.join('\n');
}
