import { visibleLines, visibleText } from '../core/text/plainText.js';
import type { JobCommand, McpArguments } from './arguments.js';
import { parseArguments } from './parseArguments.js';
import { usageSentence } from './usageError.js';
import { withNames } from './inputNames.js';
import { helpText } from './helpText.js';
import type { Complain, Output } from './inputs.js';
import { VERSION } from '../node/version.js';

/** Runs a command, see `work`. The core is not imported here, so `--help` does not load it. */
export type Work<Of = JobCommand> = (command: Of, output: Output) => Promise<boolean>;

const EXIT_OK = 0;
/** `--fail-on` applies, also beside a damaged file. */
const EXIT_FOUND = 1;
/** `--fail-on` does not apply, but the result may be incomplete. */
export const EXIT_BAD_INPUT = 2;

/** Runs the command line. @param serve runs `mcp`; null without agents @returns the exit code */
export async function run(
  args: readonly string[],
  output: Output,
  work: Work,
  serve: Work<McpArguments> | null = null,
): Promise<number> {
  let complaints = 0;
  let found = false;
  const complain: Complain = (message, isHarmless = false) => {
    if (!isHarmless) complaints++;
    output.complain(visibleText(`leakline: ${message}`));
  };
  const print: Output['print'] = (text, written) => {
    output.print(visibleLines(text), written);
  };
  try {
    const invocation = parseArguments(args);
    switch (invocation.command) {
      case 'help':
        print(helpText(invocation.of));
        break;
      case 'version':
        print(`${VERSION}\n`);
        break;
      case 'mcp':
        found = (await serve?.(invocation, { print, complain })) ?? false;
        break;
      default:
        found = await work(await withNames(invocation), { print, complain });
        break;
    }
  } catch (error) {
    const sentence = usageSentence(error);
    if (sentence === null) throw error;
    complain(sentence);
  }
  if (found) return EXIT_FOUND;
  return complaints > 0 ? EXIT_BAD_INPUT : EXIT_OK;
}
