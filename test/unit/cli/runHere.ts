/** The command line in the test's own process: as true as the built one, without the seconds that processes take. */
import { run } from '../../../src/cli/run.js';
import type { CliRun } from '../../support/cli.js';

export async function runHere(...args: string[]): Promise<CliRun> {
  let stdout = '';
  let stderr = '';
  const status = await run(args, {
    print: (text) => {
      stdout += text;
    },
    complain: (line) => {
      stderr += `${line}\n`;
    },
  });
  return { status, stdout, stderr };
}
