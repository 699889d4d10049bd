/** The command line's entry: arguments in, report out. */
import { totalmem } from 'node:os';
import { fileURLToPath } from 'node:url';
import { startThread } from '../node/thread.js';
import { run, type Work } from './run.js';
import { supervise } from './supervise.js';

// A reader that has seen enough (`| head`) closes the pipe; that is not an error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit();
});

/** As long as in the editor. */
const TIME_MS = 600_000;

const script = fileURLToPath(new URL('./cli-job.mjs', import.meta.url));
const budget = {
  timeMs: TIME_MS,
  bytes: Math.min(totalmem(), process.constrainedMemory() || Infinity) / 2,
};
/** @param signal ends the threads, and what waits for them */
const jobs = (signal?: AbortSignal): Work =>
  supervise((start) => {
    signal?.throwIfAborted();
    const thread = startThread(script, 'leakline', start);
    signal?.addEventListener('abort', () => void thread.terminate());
    return thread;
  }, budget);

process.exitCode = await run(
  process.argv.slice(2),
  {
    print: (text) => process.stdout.write(text),
    complain: (line) => process.stderr.write(`${line}\n`),
  },
  jobs(),
  async (command, words) => (await import('./mcp/serve.js')).serve(command, jobs, words),
);
