/** Leakline's command line, as built: the numbers that every other face has to agree with. */
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { CompareReport, LineReport, Report } from '../../src/core/report/report.js';
import { builtProgram } from './repository.js';

export interface CliRun {
  status: number | null;
  stdout: string;
  stderr: string;
}

export function runCli(...args: string[]): CliRun {
  return runCliUnder([], ...args);
}

/** @param options of Node */
export function runCliUnder(options: readonly string[], ...args: string[]): CliRun {
  const { status, stdout, stderr } = spawnSync(process.execPath, [...options, builtProgram('cli.js'), ...args], {
    encoding: 'utf8',
    maxBuffer: 1 << 28,
    // Inside desktop VS Code the running program is Electron; this makes it a plain Node.
    env: { ...process.env, ELECTRON_RUN_AS_NODE: '1', NODE_OPTIONS: '' },
  });
  return { status, stdout, stderr };
}

/** @throws Error with what the command line said if it does not end with exit code 0 */
function runForJson(...args: string[]): unknown {
  const { status, stdout, stderr } = runCli(...args);
  if (status !== 0) throw new Error(`leakline ${args.join(' ')} ended with ${String(status)}: ${stderr}`);
  return JSON.parse(stdout);
}

/** The report on files, with their paths mapped to a folder. */
export function analyze(root: string, files: readonly string[]): Report {
  return runForJson('analyze', '--json', '--root', root, ...files) as Report;
}

export function compare(root: string, a: string, b: string): CompareReport {
  return runForJson('compare', '--json', '--root', root, a, b) as CompareReport;
}

/** Lines that deserve a mark: those that are said to leak, and that the workspace does not ignore. */
export function leakingLines(report: Report): LineReport[] {
  return report.runs
    .flatMap(({ lines }) => lines)
    .filter(({ mapped, verdict, ignored }) => mapped && verdict === 'leak' && !ignored);
}

/** Snapshots in a folder, in order of name. */
export function snapshotsIn(folder: string): string[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.pickle'))
    .sort()
    .map((name) => join(folder, name));
}
