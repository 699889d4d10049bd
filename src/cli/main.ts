/** The command line's entry: arguments in, report out. */
import { totalmem } from 'node:os';
import { fileURLToPath } from 'node:url';
import { startThread } from '../node/thread.js';
import { handleSignals } from './leftovers.js';
import { EXIT_BAD_INPUT, run, type Work } from './run.js';
import { supervise, type Remembered } from './supervise.js';
import { UsageError } from './usageError.js';
import { isInside, tellIdle, unusableText, withinCache } from './usableCache.js';

/** Standard output is closed. */
function giveUp(error: NodeJS.ErrnoException): never {
  // A reader that has seen enough (`| head`) closes the pipe; that is not an error.
  if (error.code === 'EPIPE') process.exit();
  process.stderr.write(
    `leakline: Standard output cannot be written: ${error.message}. Check the disk, or name a file with --out.\n`,
  );
  process.exit(EXIT_BAD_INPUT);
}
handleSignals();
process.stdout.on('error', giveUp);
process.stderr.on('error', giveUp);

/** Limit of one analysis, as in the editor. */
const TIME_MS = 600_000;

/** Memory for the digests of thousands of ranks. */
const HEAP_MIB = 4096;

const script = fileURLToPath(new URL('./cli-job.mjs', import.meta.url));
const budget = {
  timeMs: TIME_MS,
  bytes: Math.min(totalmem(), process.constrainedMemory() || Infinity) / 2,
};
const remembered: Remembered = new Map();
/** @param signal ends the threads and their waits */
const jobs = (signal?: AbortSignal): Work =>
  supervise(
    (start) => {
      signal?.throwIfAborted();
      const thread = startThread(script, 'leakline', start, HEAP_MIB);
      signal?.addEventListener('abort', () => void thread.terminate());
      return thread;
    },
    budget,
    () => process.memoryUsage.rss(),
    () => performance.now(),
    remembered,
  );

process.exitCode = await run(
  process.argv.slice(2),
  {
    print: (text, written) => {
      try {
        process.stdout.write(text, written);
      } catch (error) {
        giveUp(error as NodeJS.ErrnoException); // files are written at once
      }
    },
    complain: (line) => process.stderr.write(`${line}\n`),
  },
  async (command, output) => {
    if (command.command !== 'analyze' || command.cache === null) return jobs()(command, output);
    if (isInside()) return jobs()(command, tellIdle(output));
    output.complain(unusableText(command.cache, await withinCache()), true);
    return jobs()({ ...command, cache: null }, output);
  },
  async (command, output) => (await importServer()).serve(command, jobs, output),
);

/** @throws UsageError in the extension's package, which leaves the server out */
async function importServer() {
  try {
    return await import('./mcp/serve.js');
  } catch (error) {
    if (!(error instanceof Error) || !('code' in error) || error.code !== 'ERR_MODULE_NOT_FOUND') throw error;
    throw new UsageError(
      'This is the command line of the extension, without mcp: install the npm or the Python package. In VS Code, language models have the same tools.',
    );
  }
}
