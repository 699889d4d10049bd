/** The command line in the test's own process: as true as the built one, without the seconds that processes take. */
import { run } from '../../../src/cli/run.js';
import { work } from '../../../src/cli/work.js';
import type { CliRun } from '../../support/cli.js';

export async function runHere(...args: string[]): Promise<CliRun> {
  let stdout = '';
  let stderr = '';
  const output = {
    print: (text: string) => {
      stdout += text;
    },
    complain: (line: string) => {
      stderr += `${line}\n`;
    },
  };
  const status = await run(args, output, work);
  return { status, stdout, stderr };
}
