/** Which inputs and options pass a check, fail it, or leave it without an answer. */
import assert from 'node:assert/strict';
import { copyFileSync, cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { recordingPath } from '../../../src/node/recordingPath.js';
import { FIXTURES, picklesUnder } from '../../support/snapshots.js';
import { runHere } from './runHere.js';

const FOUND = 1;
const NO_ANSWER = 2;
const NOTHING = /^$/;
const RECORDINGS = join(FIXTURES, 'planted/recordings');
const OUT_OF_MEMORY =
  'torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 23.65 GiB of which 1.10 GiB is free. Process 1 has 22.55 GiB memory in use. Of the allocated memory 22.10 GiB is allocated by PyTorch, and 100.00 MiB is reserved by PyTorch but unallocated.';

describe('A check', () => {
  let folder: string;
  const at = (name: string): string => join(folder, name);
  const below = (name: string, files: readonly string[], sidecars = false): void => {
    mkdirSync(at(name), { recursive: true });
    for (const file of files) {
      copyFileSync(file, join(at(name), basename(file)));
      if (sidecars) copyFileSync(recordingPath(file), recordingPath(join(at(name), basename(file))));
    }
  };
  /** A sidecar that names the rank, and the folder where the program ran. */
  const record = (name: string, rank: number | null, worldSize: number, cwd = '/gone'): void => {
    for (const file of picklesUnder(at(name))) {
      const main = join(cwd, 'train.py');
      const sidecar = { schema: 'leakline.recording/2', run: 'job', rank, worldSize, process: { cwd, main } };
      writeFileSync(recordingPath(file), JSON.stringify(sidecar));
    }
  };

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'leakline-table-'));
    const leaking = picklesUnder(join(FIXTURES, 'recordings/aux_loss'));
    const code = join(FIXTURES, 'recordings/aux_loss/src');
    below('leak', leaking);
    for (const project of ['code', 'old', 'strict', 'accepting'])
      cpSync(code, at(`${project}/src`), { recursive: true });
    mkdirSync(at('empty'));
    const wroteBaseline = await runHere('baseline', 'write', '--root', at('old'), at('leak'));
    assert.equal(wroteBaseline.status, 0);
    writeFileSync(at('strict/.leakline.json'), '{"budget": {"leakBytesPerStep": "1 KiB"}}');
    writeFileSync(at('accepting/.leakline.json'), '{"budget": {"leakBytesPerStep": "1 GiB"}}');
    below('recorded', leaking);
    record('recorded', 0, 1, at('code/src'));
    below('moved', leaking);
    record('moved', 0, 1, at('gone'));
    below('short', leaking.slice(0, 1));
    below('last', leaking.slice(-1));
    const detector = picklesUnder(join(RECORDINGS, 'detector'));
    below(
      'light',
      detector.filter((file) => file.includes('step000004_light')),
      true,
    );
    const healthy = picklesUnder(join(RECORDINGS, 'retry_smaller'));
    below('healthy', healthy, true);
    below('ran_out', picklesUnder(join(RECORDINGS, 'out_of_memory')), true);
    mkdirSync(at('torn'));
    writeFileSync(at('torn/step_1.pickle'), 'no pickle');
    mkdirSync(at('trends'));
    copyFileSync(join(FIXTURES, 'shapes/memory_stats.json'), at('trends/memory_stats.json'));
    writeFileSync(at('train.log'), `${OUT_OF_MEMORY}\n`);
    below('bare', [join(FIXTURES, 'shapes/no_history.p4.pickle')]);
    below('unnamed', leaking);
    record('unnamed', null, 4);
  });
  after(() => {
    rmSync(folder, { recursive: true });
  });

  const LEAKS = join(FIXTURES, 'planted/leaks');
  const rows: [given: string, args: (at: (name: string) => string) => string[], status: number, sentence: RegExp][] = [
    // Sources
    ['a leak with its source', (a) => ['--fail-on', 'leak', '--root', a('code'), a('leak')], FOUND, NOTHING],
    ['a leak and the folder where it was recorded', (a) => ['--fail-on', 'leak', a('recorded')], FOUND, NOTHING],
    [
      'a leak without its source',
      (a) => ['--fail-on', 'leak', '--root', a('empty'), a('leak')],
      NO_ANSWER,
      /^leakline: No recorded file is below .*empty, so no source was read and no line was judged\. Pass --root .*\.\n$/,
    ],
    [
      'a leak, recorded in a folder that is gone',
      (a) => ['--fail-on', 'leak', '--root', a('empty'), a('moved')],
      NO_ANSWER,
      /^leakline: No recorded file is below /,
    ],
    ['a leak without its source, and no check', (a) => ['--root', a('empty'), a('leak')], 0, NOTHING],
    // Evidence
    ['a healthy run', (a) => ['--fail-on', 'leak,growing', '--root', LEAKS, a('healthy')], 0, NOTHING],
    ['one snapshot of 40 steps', (a) => ['--fail-on', 'leak', '--root', a('code'), a('last')], FOUND, NOTHING],
    [
      'one snapshot of 10 steps',
      (a) => ['--fail-on', 'leak', '--root', a('code'), a('short')],
      NO_ANSWER,
      /^leakline: .*short\/.* was not judged: 1 snapshot cannot show a leak\. Record at least 3 snapshots, or one with a trace of at least 15 steps\.\n$/,
    ],
    ['one snapshot, and no check', (a) => ['--root', a('code'), a('short')], 0, NOTHING],
    [
      'a light snapshot',
      (a) => ['--fail-on', 'leak', '--root', LEAKS, a('light')],
      NO_ANSWER,
      /was not judged: 1 snapshot without a trace cannot show a leak\. Record at least 3/,
    ],
    [
      'snapshots without stacks',
      (a) => ['--fail-on', 'leak', '--root', LEAKS, a('bare')],
      NO_ANSWER,
      /^leakline: .* was not judged: .*\. Record .*\n$/,
    ],
    [
      'logs that name no line',
      (a) => ['--fail-on', 'leak', '--root', LEAKS, a('trends')],
      NO_ANSWER,
      /^leakline: Nothing was judged: no input is a snapshot\. Record at least 3/,
    ],
    [
      'an empty folder',
      (a) => ['--fail-on', 'leak', '--root', LEAKS, a('empty')],
      NO_ANSWER,
      /empty holds no snapshot/,
    ],
    ['no file', (a) => ['--fail-on', 'leak', '--root', LEAKS, a('no.pickle')], NO_ANSWER, /no such file/],
    [
      'a healthy run and a file that cannot be read',
      (a) => ['--fail-on', 'leak', '--root', LEAKS, a('healthy'), a('torn/step_1.pickle')],
      NO_ANSWER,
      /^leakline: .*step_1\.pickle/,
    ],
    [
      'the same, where missing files fail the check',
      (a) => ['--fail-on', 'incomplete', '--root', LEAKS, a('healthy'), a('torn/step_1.pickle')],
      FOUND,
      /step_1\.pickle/,
    ],
    // Memory that ran out
    [
      'memory that ran out, where a check is for anything else',
      (a) => ['--fail-on', 'cycle', '--root', LEAKS, a('ran_out')],
      FOUND,
      /^leakline: .*_oom\.pickle\.gz: memory ran out, which fails every check\. .*\n$/,
    ],
    ['the same, by its name', (a) => ['--fail-on', 'oom', '--root', LEAKS, a('ran_out')], FOUND, /memory ran out/],
    ['the same, and no check', (a) => ['--root', LEAKS, a('ran_out')], 0, NOTHING],
    [
      'a healthy run and a log of memory that ran out',
      (a) => ['--fail-on', 'leak', '--root', LEAKS, a('healthy'), a('train.log')],
      FOUND,
      /^leakline: .*train\.log: memory ran out/,
    ],
    [
      'that log alone',
      (a) => ['--fail-on', 'leak', '--root', LEAKS, a('train.log')],
      FOUND,
      /train\.log: memory ran out/,
    ],
    // Ranks
    [
      'one rank of two that are expected',
      (a) => ['--fail-on', 'incomplete', '--expect-ranks', '2', '--root', LEAKS, a('healthy')],
      FOUND,
      NOTHING,
    ],
    [
      'the same, where a check is for leaks',
      (a) => ['--fail-on', 'leak', '--expect-ranks', '2', '--root', LEAKS, a('healthy')],
      NO_ANSWER,
      /Rank 1 has no snapshot\. The report covers 1 of 2 ranks\. Pass the snapshots of every rank\./,
    ],
    [
      'one run that names no rank, of two that are expected',
      (a) => ['--fail-on', 'incomplete', '--expect-ranks', '2', a('leak')],
      FOUND,
      NOTHING,
    ],
    ['as many as are expected', (a) => ['--fail-on', 'incomplete', '--expect-ranks', '1', a('leak')], 0, NOTHING],
    ['fewer than the recorder counts', (a) => ['--fail-on', 'incomplete', a('unnamed')], FOUND, NOTHING],
    [
      'none of those that are expected',
      (a) => ['--fail-on', 'incomplete', '--expect-ranks', '2', a('empty')],
      FOUND,
      /holds no snapshot/,
    ],
    // Budget and baseline
    [
      'a leak over budget',
      (a) => ['--root', a('strict'), a('leak')],
      FOUND,
      /^leakline: .* leaks? .*; the budget is 1\.0 KiB\/step\.\n$/,
    ],
    ['a leak within the budget', (a) => ['--root', a('accepting'), a('leak')], 0, NOTHING],
    [
      'a budget, and too little to measure',
      (a) => ['--budget', '1GiB', '--root', a('code'), a('short')],
      NO_ANSWER,
      /was not judged: 1 snapshot/,
    ],
    ['a leak in the baseline', (a) => ['--fail-on', 'leak', '--root', a('old'), a('leak')], 0, NOTHING],
    ['a leak in the baseline, over budget', (a) => ['--budget', '0B', '--root', a('old'), a('leak')], 0, NOTHING],
  ];
  for (const [given, args, status, sentence] of rows) {
    it(`${status === 0 ? 'passes' : status === FOUND ? 'fails' : 'has no answer'}: ${given}`, async () => {
      const run = await runHere('analyze', ...args(at));
      assert.match(run.stderr, sentence);
      assert.equal(run.status, status, run.stdout);
    });
  }

  const sides: [before: string, after: string, answers: string, status: number, sentence: RegExp][] = [
    ['gone', 'leak', 'worse', FOUND, NOTHING],
    ['leak', 'gone', 'worse', 0, NOTHING],
    ['leak', 'short', 'worse', NO_ANSWER, /^leakline: The comparison has no answer\. The run after is too short .*\n$/],
    ['leak', 'short', 'cannotTell', FOUND, NOTHING],
    ['gone', 'gone', 'worse', NO_ANSWER, /^leakline: No recorded file is below .*, so no source was read/],
  ];
  for (const [first, second, answers, status, sentence] of sides) {
    it(`of ${answers} for a comparison of ${first} and ${second} ends with ${status}`, async () => {
      const inputs = [join(FIXTURES, 'fixes', first), join(FIXTURES, 'fixes', second)];
      const run = await runHere('compare', '--root', at('empty'), '--fail-on', answers, ...inputs);
      assert.match(run.stderr, sentence);
      assert.equal(run.status, status, run.stdout);
    });
  }

  it('of a comparison fails where memory ran out, and has no answer on a rank that is gone', async () => {
    const ranks = join(FIXTURES, 'recordings/two_ranks');
    const ended = await runHere('compare', '--fail-on', 'worse', at('healthy'), at('ran_out'));
    assert.match(ended.stderr, /_oom\.pickle\.gz: memory ran out/);
    assert.equal(ended.status, FOUND);
    below(
      'half',
      picklesUnder(ranks).filter((path) => path.includes('rank0')),
    );
    const half = await runHere('compare', '--root', ranks, '--fail-on', 'worse', ranks, at('half'));
    assert.match(half.stderr, /half has no snapshot of rank 1\. Record every rank again\.\n$/);
    assert.equal(half.status, NO_ANSWER);
  });
});
