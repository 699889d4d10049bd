/**
 * How well leaks are told from innocents: `npm run accuracy`. Every planted program's recording is judged as it looked
 * after its first steps, in four ways: with what the recorder wrote beside the snapshots, from the snapshots alone, from
 * the snapshots without the programs' source, and without their traces. Known blind spots are counted by themselves.
 */
import { join } from 'node:path';
import { digestSnapshot, type SnapshotDigest } from '../src/core/digest/digest.js';
import { stepOfDigest } from '../src/core/runs/runs.js';
import { readSnapshot } from '../src/core/formats/readSnapshot.js';
import type { LineReport } from '../src/core/report/report.js';
import { ReportsFromSources } from '../src/core/report/reportFromSources.js';
import { openFile } from '../src/node/fileSource.js';
import { readRecording } from '../src/node/recordingFile.js';
import { walkFiles } from '../src/node/walkFiles.js';
import { plantedWorkspace, recordedPrograms, type PlantedProgram } from './planted.js';

const FOLDER = join(import.meta.dirname, '../test/fixtures/planted');
/** Snapshots of more steps than a column says are not looked at. */
const COLUMNS = [5, 10, 20, 50, Number.POSITIVE_INFINITY];
const ACCUSED = new Set(['leak', 'cycle']);

const MODES = {
  'with the recorder': (digest: SnapshotDigest): SnapshotDigest => digest,
  'snapshots alone': (digest: SnapshotDigest): SnapshotDigest => digest,
  'without source': (digest: SnapshotDigest): SnapshotDigest => digest,
  'without traces': (digest: SnapshotDigest): SnapshotDigest => ({
    ...digest,
    eventCount: 0,
    heads: [],
    spans: [],
    steps: null,
    lifetimes: [],
  }),
} as const;
type Mode = keyof typeof MODES;

async function digestsIn(folder: string, mode: Mode): Promise<SnapshotDigest[]> {
  const digests: SnapshotDigest[] = [];
  for await (const name of walkFiles(folder, (file) => file.endsWith('.pickle'))) {
    const path = join(folder, name);
    const file = await openFile(path);
    const recording = mode === 'with the recorder' ? await readRecording(path) : null;
    digests.push(MODES[mode](digestSnapshot(path, await readSnapshot(file.source), recording)));
    await file.close();
  }
  return digests;
}

const workspace = plantedWorkspace(FOLDER);
/** The files are known, what they say is not. */
const unread = { files: workspace.files, rules: [] };
const reports = new ReportsFromSources(() => performance.now());

async function linesOf(digests: readonly SnapshotDigest[], mode: Mode): Promise<LineReport[]> {
  const { report } = await reports.report(digests, mode === 'without source' ? unread : workspace);
  return report.runs.flatMap((run) => run.lines);
}

/** Accused lines that are neither planted nor allocate what a planted program keeps by other lines. */
function falseAlarms(program: PlantedProgram, lines: readonly LineReport[]): LineReport[] {
  return program.silent ? lines.filter((line) => ACCUSED.has(line.verdict)) : [];
}

function isNamed(program: PlantedProgram, lines: readonly LineReport[]): boolean {
  return program.lines.some(({ file, line, verdict }) =>
    lines.some((found) => found.line === line && found.file.endsWith(file) && found.verdict === verdict),
  );
}

function isHeldRight({ holder }: PlantedProgram, lines: readonly LineReport[]): boolean {
  const right = holder === undefined ? [] : [holder, ...(holder.also ?? [])];
  return lines.some(
    ({ holder: found }) =>
      found !== null && right.some(({ file, line }) => found.line === line && found.file.endsWith(file)),
  );
}

/** True if a holder is named that is none. */
function isHeldWrong({ holder }: PlantedProgram, lines: readonly LineReport[]): boolean {
  const right = holder == null ? [] : [holder, ...(holder.also ?? [])];
  return lines.some(
    ({ holder: found }) =>
      found !== null && !right.some(({ file, line }) => found.line === line && found.file.endsWith(file)),
  );
}

function percent(part: number, whole: number): string {
  return whole === 0 ? '–' : `${part}/${whole}`;
}

const recorded = recordedPrograms(FOLDER);
if (recorded.length === 0) {
  console.log('skipped: no recordings under test/fixtures/planted/recordings');
  process.exit(0);
}
const leaking = recorded.filter(({ program }) => program.lines.some(({ verdict }) => ACCUSED.has(verdict)));
const silent = recorded.filter(({ program }) => program.silent && program.blind !== true);
const blind = recorded.filter(({ program }) => program.blind === true);
const blindLeaks = blind.filter(({ program }) => !program.silent).length;
console.log(
  `${leaking.length} programs that leak, ${silent.length} that must stay silent, ${blind.length} blind spots.\n`,
);
console.log(
  '| judged | after steps | leaks named | falsely accused | blind spots named, accused | holder named | wrong holder |',
);
console.log('| :-- | --: | --: | --: | --: | --: | --: |');
const missed: string[] = [];
for (const mode of Object.keys(MODES) as Mode[]) {
  const digests = new Map<string, SnapshotDigest[]>();
  for (const { program, snapshots } of recorded) digests.set(program.name, await digestsIn(snapshots, mode));
  for (const most of COLUMNS) {
    let named = 0;
    let accused = 0;
    let held = 0;
    let wrong = 0;
    for (const { program } of [...leaking, ...silent]) {
      const seen = (digests.get(program.name) ?? []).filter((digest) => (stepOfDigest(digest) ?? 0) <= most);
      const lines = await linesOf(seen, mode);
      if (!program.silent && isNamed(program, lines)) named++;
      else if (!program.silent && most === Number.POSITIVE_INFINITY) missed.push(`${program.name} (${mode})`);
      if (!program.silent && isHeldRight(program, lines)) held++;
      if (isHeldWrong(program, lines)) {
        wrong++;
        if (most === Number.POSITIVE_INFINITY) missed.push(`wrong holder: ${program.name} (${mode})`);
      }
      if (falseAlarms(program, lines).length > 0) {
        accused++;
        if (most === Number.POSITIVE_INFINITY) missed.push(`falsely accused: ${program.name} (${mode})`);
      }
    }
    let blindNamed = 0;
    let blindAccused = 0;
    for (const { program } of blind) {
      const seen = (digests.get(program.name) ?? []).filter((digest) => (stepOfDigest(digest) ?? 0) <= most);
      const accusedLines = (await linesOf(seen, mode)).filter(({ verdict }) => ACCUSED.has(verdict));
      if (accusedLines.length === 0) continue;
      if (program.silent) blindAccused++;
      else blindNamed++;
    }
    const blindText = `${percent(blindNamed, blindLeaks)}, ${percent(blindAccused, blind.length - blindLeaks)}`;
    const steps = most === Number.POSITIVE_INFINITY ? 'all' : String(most);
    console.log(
      `| ${mode} | ${steps} | ${percent(named, leaking.length)} | ${percent(accused, silent.length)} | ${blindText} | ${percent(held, leaking.length)} | ${wrong} |`,
    );
  }
}
console.log(`\nWrong with all steps: ${missed.length === 0 ? 'none' : missed.join(', ')}.`);
