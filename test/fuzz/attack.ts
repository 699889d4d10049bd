/**
 * Gives hostile files to the built command line, each in a process of its own: `npm run fuzz:hostile [-- PART OF A NAME]`.
 * Each must end in a report or a sentence, within a time and a memory.
 */
import { spawnSync } from 'node:child_process';
import {
  closeSync,
  cpSync,
  fstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { visibleLines } from '../../src/core/text/plainText.js';
import { builtProgram } from '../support/repository.js';
import { FIXTURES } from '../support/snapshots.js';
import { ATTACKS, MODULES, SOURCES } from './hostile.js';
import { MB } from './made.js';

/** Limit of CPU seconds on a machine where an empty Node takes `EMPTY_SECONDS`. */
const MAX_SECONDS = 10;
const EMPTY_SECONDS = 0.05;
const MAX_BYTES = 2 ** 30;
/** Maximum size of a report on any input. */
const MAX_OUTPUT = 2 ** 28;
/** An output of more bytes is not searched for invisible text. */
const MAX_SEARCHED = 2 ** 24;
/** Characters of a command. */
const MAX_SHOWN = 100;
/** Exit codes of the command line that say what they mean. */
const MEANT = [0, 2];

interface End {
  /** Null if all is well. */
  problem: string | null;
  seconds: number;
  bytes: number;
}

const part = process.argv[2] ?? '';
const root = mkdtempSync(join(tmpdir(), 'leakline-hostile-'));
const folder = join(root, 'files');
/** Tells what a process took when it ends. */
const watcher = join(root, 'watch.mjs');
writeFileSync(
  watcher,
  `import { readFileSync, writeFileSync } from 'node:fs';
  import { isMainThread } from 'node:worker_threads';
  // What resourceUsage says of memory begins with that of the process that started this one.
  const highest = () => {
    try { return Number(/VmHWM:\\s+(\\d+) kB/.exec(readFileSync('/proc/self/status', 'utf8'))[1]); }
    catch { return process.resourceUsage().maxRSS; }
  };
  if (isMainThread) process.on('exit', () => {
    const { userCPUTime, systemCPUTime } = process.resourceUsage();
    const took = { seconds: (userCPUTime + systemCPUTime) / 1e6, bytes: highest() * 1024 };
    writeFileSync(${JSON.stringify(join(root, 'took.json'))}, JSON.stringify(took));
  });`,
);

const took = (): Omit<End, 'problem'> =>
  JSON.parse(readFileSync(join(root, 'took.json'), 'utf8')) as Omit<End, 'problem'>;

/** How many times slower than usual this machine is now, 1 or more. */
const slowness = Math.max(
  1,
  Math.min(
    ...Array.from({ length: 5 }, () => {
      spawnSync(process.execPath, ['--import', watcher, '-e', '0']);
      return took().seconds / EMPTY_SECONDS;
    }),
  ),
);

/** What the last command printed. */
const shown = (): string => readFileSync(join(root, 'output'), 'utf8').replaceAll('\ufffd', '?');

function judge(args: readonly string[], input: string | null = null, maxBytes = MAX_BYTES): End {
  rmSync(join(root, 'took.json'), { force: true });
  const output = openSync(join(root, 'output'), 'w');
  const command = [process.execPath, '--import', watcher, builtProgram('cli.js'), ...args];
  if (input !== null) {
    writeFileSync(join(root, 'input'), input);
    // An agent ends once its last question is answered.
    command.unshift(
      'sh',
      '-c',
      `(cat ${root}/input; for i in $(seq 60); do grep -q '"id":"last"' ${root}/output && break; sleep 0.2; done) | "$@"`,
      'sh',
    );
  }
  const { status, stderr, signal } = spawnSync(command[0], command.slice(1), {
    encoding: 'utf8',
    maxBuffer: 1 << 30,
    timeout: 300_000,
    killSignal: 'SIGKILL',
    stdio: ['ignore', output, 'pipe'],
  });
  const written = fstatSync(output).size;
  closeSync(output);
  if (status === null) return { problem: `ended by ${String(signal)}`, seconds: Infinity, bytes: Infinity };
  const { seconds, bytes } = took();
  const sentences = stderr.split('\n').slice(0, -1);
  const odd = sentences.find(
    (line) => !/^leakline: .*\.$/.test(line) || /is skipped(?!: it links)|was stopped/.test(line),
  );
  const problem = !MEANT.includes(status)
    ? `exit code ${status}: ${stderr.slice(0, 300)}`
    : odd !== undefined
      ? odd.slice(0, 300)
      : seconds > MAX_SECONDS * slowness
        ? 'too long'
        : bytes > maxBytes
          ? 'too much memory'
          : written > MAX_OUTPUT
            ? `${written} bytes of output`
            : written < MAX_SEARCHED && [shown(), stderr].some((text) => visibleLines(text) !== text)
              ? 'invisible text'
              : null;
  return { seconds, bytes, problem };
}

let failures = 0;
let count = 0;
let longest = 0;
let largest = 0;
function tell(name: string, { problem, seconds, bytes }: End): void {
  count++;
  if (problem !== null) failures++;
  longest = Math.max(longest, seconds);
  largest = Math.max(largest, bytes);
  const took = `${seconds.toFixed(1)} s, ${Math.round(bytes / 2 ** 20)} MiB`;
  if (problem !== null || part !== '')
    console.log(`${problem === null ? 'ends' : 'FAILED'}: ${name} (${took}) ${problem ?? ''}`);
}

const ANALYZE = [['analyze', '--json', 'FILES']];

for (const { name, files, links = {}, input, maxMemory, commands = ANALYZE } of ATTACKS.filter((attack) =>
  attack.name.includes(part),
)) {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder);
  const made = Object.entries(await files());
  for (const [file, content] of made) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), content);
  }
  for (const [link, target] of Object.entries(links)) symlinkSync(target, join(folder, link));
  const paths = made.map(([file]) => join(folder, file)).filter((path) => !path.endsWith('.leakline.json'));
  rmSync(join(root, 'out'), { recursive: true, force: true });
  for (const command of commands) {
    const args = command.flatMap((word) =>
      word === 'FILES' ? paths : [word.replace(/^FOLDER/, folder).replace(/^OUT$/, join(root, 'out'))],
    );
    const shown = commands.length > 1 ? `${name}: ${command.join(' ').slice(0, MAX_SHOWN)}` : name;
    tell(shown, judge(args, input?.(), maxMemory === undefined ? MAX_BYTES : maxMemory * MB));
  }
}
for (const { name, text, imported } of SOURCES.filter((source) => `a Python source: ${source.name}`.includes(part))) {
  rmSync(folder, { recursive: true, force: true });
  cpSync(join(FIXTURES, 'recordings/aux_loss'), folder, { recursive: true });
  const script = join(folder, 'src/train.py');
  writeFileSync(script, text(readFileSync(script, 'utf8')));
  if (imported !== undefined)
    for (let i = 0; i < MODULES; i++) writeFileSync(join(folder, `src/m${i}.py`), imported(i));
  tell(`a Python source: ${name}`, judge(['analyze', '--json', '--root', folder, folder]));
}
rmSync(root, { recursive: true, force: true });
console.log(
  `A machine ${slowness.toFixed(1)} times slower than usual. Longest: ${longest.toFixed(1)} s, largest: ${Math.round(largest / 2 ** 20)} MiB`,
);
console.log(`${count - failures} passed, ${failures} failed`);
process.exit(failures === 0 ? 0 : 1);
