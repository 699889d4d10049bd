import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArguments } from '../../../src/cli/parseArguments.js';
import { supervise, type Budget, type JobMessage, type JobStart, type Remembered } from '../../../src/cli/supervise.js';
import { startThread, type Thread } from '../../../src/node/thread.js';

/** The thread's effect for an input, by its name. */
const JOB = `
  const { parentPort, workerData } = require('node:worker_threads');
  const post = (message) => parentPort.postMessage(message);
  const { command: { inputs }, excluded, turns, finished } = workerData;
  const there = inputs.filter((path) => !excluded.includes(path));
  if (turns !== null) {
    for (let turn; (turn = Atomics.add(turns, 0, 1)) < inputs.length; ) {
      const path = inputs[turn];
      post({ kind: 'reading', path });
      if (path === 'deadly') throw new RangeError('Invalid array length');
      post({ kind: 'finished', path, finished: {} });
    }
    return post({ kind: 'done', found: false });
  }
  for (const path of there) {
    post({ kind: 'reading', path });
    if (path === 'bad') post({ kind: 'complain', message: 'bad is bad.' });
    if (path === 'endless') for (;;);
    if (path === 'misread') throw new TypeError('x is not a function');
    if (path.endsWith('deadly')) throw new RangeError('Invalid array length');
    post({ kind: 'read', path, weight: path.length });
  }
  post({ kind: 'analyzing' });
  if (there.includes('heaviest')) for (;;);
  const others = [...finished.keys()].sort().join();
  post({ kind: 'print', text: there.join() + (others === '' ? '' : ' after ' + others) });
  post({ kind: 'done', found: true });
`;

const PLENTY: Budget = { timeMs: 600_000, bytes: Infinity };

describe('The command line with inputs that end its reader', () => {
  let folder: string;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'leakline-job-'));
    writeFileSync(join(folder, 'job.cjs'), JOB);
  });
  after(() => {
    rmSync(folder, { recursive: true });
  });

  const work = async (inputs: string[], budget: Partial<Budget> = {}, remembered: Remembered = new Map()) => {
    const command = parseArguments(['analyze', ...inputs]);
    assert.ok(command.command === 'analyze');
    // Time and memory pass while an input is in the way, whatever the machine does meanwhile.
    let isStuck = false;
    let timeMs = 0;
    const start = (job: JobStart): Thread => {
      const thread = startThread(join(folder, 'job.cjs'), 'job', job);
      isStuck = false;
      return {
        ...thread,
        listen: (message, end) => {
          thread.listen((value) => {
            message(value);
            const told = value as JobMessage;
            const isHeavy = inputs.includes('heaviest') && !job.excluded.includes('heaviest');
            isStuck = told.kind === 'analyzing' ? isHeavy : told.kind === 'reading' && told.path === 'endless';
          }, end);
        },
      };
    };
    let printed = '';
    const complaints: string[] = [];
    const found = await supervise(
      start,
      { ...PLENTY, ...budget },
      () => (isStuck ? 2 ** 21 : 0),
      () => (isStuck ? (timeMs += 2000) : timeMs),
      remembered,
    )(command, {
      print: (text) => {
        printed += text;
      },
      complain: (message) => {
        complaints.push(message);
      },
    });
    return { found, printed, complaints };
  };

  it('passes on the output of the work', async () => {
    assert.deepEqual(await work(['a', 'b']), { found: true, printed: 'a,b', complaints: [] });
  });

  it('names an input that ends its reader, excludes it, and reports the rest once', async () => {
    const { printed, complaints } = await work(['bad', 'deadly', 'b']);
    assert.equal(printed, 'bad,b');
    assert.deepEqual(complaints, [
      'bad is bad.',
      'deadly is skipped: reading it was stopped (Invalid array length). Free some memory, or record with a smaller max_entries.',
    ]);
  });

  it('does not blame memory for an error of its own', async () => {
    assert.deepEqual((await work(['misread', 'b'])).complaints, [
      'misread is skipped: reading it was stopped (x is not a function). This is an error in Leakline: please report it.',
    ]);
  });

  it('remembers excluded inputs between commands, until they change', async () => {
    const deadly = join(folder, 'deadly');
    writeFileSync(deadly, '1');
    const remembered: Remembered = new Map();
    const first = await work([deadly, 'b'], {}, remembered);
    assert.match(first.complaints.join(), /^.*deadly is skipped: reading it was stopped/);
    const [known] = remembered.values();
    remembered.set(deadly, { ...known, message: 'It is known.' });
    assert.deepEqual(await work([folder, 'b'], {}, remembered), {
      found: true,
      printed: `${folder},b`,
      complaints: ['It is known.'],
    });
    assert.deepEqual((await work(['b'], {}, remembered)).complaints, []);
    writeFileSync(deadly, '22');
    assert.match((await work([deadly], {}, remembered)).complaints.join(), /reading it was stopped/);
  });

  it('names an input that takes too long', async () => {
    const { printed, complaints } = await work(['a', 'endless'], { timeMs: 1000 });
    assert.equal(printed, 'a');
    assert.match(complaints.join(), /^endless is skipped: reading it was stopped \(it took more than 1 seconds\)\./);
  });

  it('names an input that takes too much memory', async () => {
    const { complaints } = await work(['a', 'endless'], { bytes: 1 << 20 });
    assert.match(complaints.join(), /^endless is skipped: .*\(it took more than 1\.0 MiB of memory\)/);
  });

  it('shares the inputs among threads, and names the one that ends its thread', async () => {
    const { printed, complaints } = await work(['--jobs', '2', 'a', 'deadly', 'b', 'c', 'd']);
    assert.equal(printed, 'a,b,c,d after a,b,c,d');
    assert.deepEqual(complaints, [
      'deadly is skipped: reading it was stopped (Invalid array length). Free some memory, or record with a smaller max_entries.',
    ]);
  });

  it('excludes the largest input if the report takes too long', async () => {
    const { printed, complaints } = await work(['a', 'heaviest', 'b'], { timeMs: 1000 });
    assert.equal(printed, 'a,b');
    assert.match(complaints.join(), /^heaviest is skipped: the report with it was stopped/);
  });
});
