import { spawn } from 'node:child_process';
import type { JobCommand } from '../arguments.js';
import type { Output } from '../inputs.js';

/** A folder that does not answer for so long (a network that is gone) is not used, in milliseconds. */
const SILENT_AFTER_MS = 10_000;

/** Writes a file into a folder, and looks for it. */
const TRIAL = `
  const { mkdirSync, readdirSync, rmSync, writeFileSync } = require('node:fs');
  const [, folder] = process.argv;
  mkdirSync(folder, { recursive: true });
  writeFileSync(folder + '/.leakline-trial', '');
  readdirSync(folder);
  rmSync(folder + '/.leakline-trial', { force: true });
`;

/** The command, without its cache if that cannot be used. */
export async function withUsableCache(
  command: JobCommand,
  { complain }: Pick<Output, 'complain'>,
): Promise<JobCommand> {
  if (command.command !== 'analyze' || command.cache === null) return command;
  const problem = await problemWith(command.cache);
  if (problem === null) return command;
  complain(unusableText(command.cache, problem), true);
  return { ...command, cache: null };
}

export function unusableText(folder: string, problem: string): string {
  return `${folder} cannot be used as a cache (${problem}). Name another folder.`;
}

/**
 * Why nothing can be kept in a folder; null if something can. A process of its own asks: a folder that never answers would
 * keep a thread of this one, and with it the process, for ever.
 */
export function problemWith(folder: string, silentAfterMs = SILENT_AFTER_MS): Promise<string | null> {
  return new Promise((resolve) => {
    const trial = spawn(process.execPath, ['-e', TRIAL, folder], { stdio: ['ignore', 'ignore', 'pipe'] });
    let said = '';
    trial.stderr.setEncoding('utf8').on('data', (text: string) => (said += text));
    const timer = setTimeout(() => {
      trial.kill('SIGKILL');
      // What waits for a disk is not killed.
      trial.unref();
      trial.stderr.destroy();
      resolve('it does not answer');
    }, silentAfterMs);
    trial.once('close', (code) => {
      clearTimeout(timer);
      resolve(code === 0 ? null : (/^\w*Error: (.*)$/m.exec(said)?.[1] ?? `exit code ${code}`));
    });
  });
}
