import type { Output } from './inputs.js';

/** Set in the process that works with a cache. */
const INSIDE = 'LEAKLINE_CACHE_PROCESS';
const LOOK_MS = 1000;
/** A process that is idle over this many checks waits for a folder, such as a lost network. */
const LOOKS = 5;
/** CPU time of so many checks in an idle process, in microseconds: timers take up to a third of it. */
const IDLE_US = 150_000;

export function unusableText(folder: string, problem: string): string {
  return `${folder} cannot be used as a cache (${problem}). Name another folder.`;
}

/** True in the process that works with a cache. */
export function isInside(): boolean {
  return process.env[INSIDE] !== undefined && process.send !== undefined;
}

/**
 * Runs this command in a child process: a folder that hangs would block a thread of this process for ever.
 * @returns why the cache is unusable
 */
export async function withinCache(): Promise<string> {
  const { spawn } = await import('node:child_process');
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [...process.execArgv, ...process.argv.slice(1)], {
      stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
      env: { ...process.env, [INSIDE]: '1' },
    });
    const end = (code: number | null, signal: NodeJS.Signals | null): void => {
      if (signal !== null) process.kill(process.pid, signal);
      process.exit(code ?? undefined);
    };
    child.once('exit', end);
    child.once('error', (error) => {
      resolve(error.message);
    });
    child.once('message', () => {
      child.off('exit', end);
      child.kill('SIGKILL');
      // A process that waits for a disk cannot be killed.
      child.unref();
      child.disconnect();
      resolve('it does not answer');
    });
  });
}

/** Reports to the parent process when this one is idle, until something is printed. */
export function tellIdle(output: Output): Output {
  const before: number[] = [];
  const timer = setInterval(() => {
    const { user, system } = process.cpuUsage();
    const now = user + system;
    if (before.length === LOOKS && now - (before.shift() ?? 0) < IDLE_US) process.send?.('idle');
    before.push(now);
  }, LOOK_MS).unref();
  return {
    ...output,
    print: (text, written) => {
      clearInterval(timer);
      output.print(text, written);
    },
  };
}
