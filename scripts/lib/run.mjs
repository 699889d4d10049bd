/** Child processes of the scripts: output passes through, a time limit ends them, none outlives its parent. */
import { spawn } from 'node:child_process';
import { constants, getPriority, setPriority } from 'node:os';

/** Children that still run; ended when this process is. */
const running = new Set();
for (const [signal, code] of [
  ['SIGINT', 130],
  ['SIGTERM', 143],
]) {
  process.on(signal, () => {
    for (const child of running) child.kill('SIGTERM');
    // Children clean up after themselves (servers, temporary folders) before this process goes.
    const limit = setTimeout(() => process.exit(code), 10_000);
    void Promise.all([...running].map((child) => new Promise((done) => child.once('exit', done)))).then(() => {
      clearTimeout(limit);
      process.exit(code);
    });
  });
}

/**
 * Runs a program to its end.
 * @param {string} command
 * @param {string[]} args
 * @param {{ cwd?: string, env?: Record<string, string>, timeoutMs?: number, quiet?: boolean, silent?: boolean, listen?: boolean, yielding?: boolean }} [options]
 *   `env` adds to the environment; `quiet` shows output only after a failure, `silent` only returns it, `listen` shows
 *   and returns it; `yielding` takes what others leave of the processors.
 * @returns {Promise<{ status: number, output: string, timedOut: boolean }>} status is 127 where the program is missing
 */
export function run(
  command,
  args,
  { cwd, env = {}, timeoutMs, quiet = false, silent = false, listen = false, yielding = false } = {},
) {
  return new Promise((resolve) => {
    const stream = quiet || silent || listen ? 'pipe' : 'inherit';
    const child = spawn(command, args, {
      cwd,
      env: { ...process.env, ...env },
      stdio: ['ignore', stream, stream],
      shell: process.platform === 'win32' && command === 'npm',
    });
    running.add(child);
    if (yielding) yieldToOthers(child);
    let output = '';
    const collect = (chunk) => {
      output += chunk;
      if (listen) process.stdout.write(chunk);
    };
    child.stdout?.setEncoding('utf8').on('data', collect);
    child.stderr?.setEncoding('utf8').on('data', collect);
    let timedOut = false;
    const timer =
      timeoutMs === undefined
        ? undefined
        : setTimeout(() => {
            timedOut = true;
            child.kill('SIGTERM');
            setTimeout(() => child.kill('SIGKILL'), 15_000).unref();
          }, timeoutMs);
    const finish = (status) => {
      clearTimeout(timer);
      running.delete(child);
      if (quiet && status !== 0) process.stdout.write(output);
      resolve({ status, output, timedOut });
    };
    child.once('error', (error) => {
      output += `${error.message}\n`;
      finish(127);
    });
    child.once('close', (status) => finish(status ?? 1));
  });
}

/**
 * Its child processes yield as well. Not the lowest priority: a test with a hundredth of a processor would time out.
 */
function yieldToOthers(child) {
  const below = constants.priority.PRIORITY_BELOW_NORMAL;
  if (getPriority() >= below) return;
  try {
    setPriority(child.pid, below);
  } catch {
    // It never started or has ended already; its caller gets the result.
  }
}

/** Runs a Node program of this repository with this Node. */
export function runNode(args, options) {
  return run(process.execPath, args, options);
}

/** Runs npm: the one that started this script where there is one. */
export function runNpm(args, options) {
  const npm = process.env.npm_execpath;
  return npm?.endsWith('.js') ? runNode([npm, ...args], options) : run('npm', args, options);
}
