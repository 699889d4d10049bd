/** The planted programs and what is known of them: test/fixtures/planted/planted.json. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ReportWorkspace } from '../src/core/report/reportWorkspace.js';
import { SourceFiles } from '../src/node/sourceFiles.js';

export interface PlantedProgram {
  name: string;
  silent: boolean;
  /** A known blind spot: what it must be called cannot be told from its recording. */
  blind?: boolean;
  lines: { file: string; line: number; verdict: string }[];
  holder?: { file: string; line: number; also?: { file: string; line: number }[] };
  leakingRank?: number;
}

/** Every planted program that is recorded, with its folder of snapshots. */
export function recordedPrograms(folder: string): { program: PlantedProgram; snapshots: string }[] {
  const path = join(folder, 'planted.json');
  if (!existsSync(path)) return [];
  const { programs } = JSON.parse(readFileSync(path, 'utf8')) as { programs: PlantedProgram[] };
  return programs.flatMap((program) => {
    const snapshots = join(folder, 'recordings', program.name);
    return existsSync(snapshots) ? [{ program, snapshots }] : [];
  });
}

/** The Python sources of the planted programs, as a workspace names them. */
export function plantedSources(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.py') && !name.startsWith('recordings'))
    .map((name) => name.replaceAll('\\', '/'));
}

/** The planted programs and the example that is one of them, as a workspace that holds both. */
export function plantedWorkspace(folder: string): ReportWorkspace {
  const roots = [
    { prefix: 'detector/', folder: join(folder, '../../../examples/detector') },
    { prefix: '', folder },
  ];
  const files = roots.flatMap((root) => plantedSources(root.folder).map((name) => root.prefix + name));
  const { lineText, sourceText, sourceFacts } = new SourceFiles(roots);
  return { files, rules: [], lineText, sourceText, sourceFacts };
}
