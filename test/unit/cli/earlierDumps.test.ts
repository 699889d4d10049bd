import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EarlierDumps } from '../../../src/cli/tasks/earlierDumps.js';
import { reportOfGathered } from '../../../src/cli/fleet/gather.js';
import { Reporting } from '../../../src/cli/fleet/summary.js';
import { expandInputs, readInputs, type Contents, type CommandContext } from '../../../src/cli/inputs.js';
import type { Report } from '../../../src/core/report/report.js';
import { RandomTraining } from '../../support/randomTraining.js';
import { tries } from '../../support/sample.js';
import { makeSnapshotFile } from '../../support/madeSnapshot.js';
import { FIXTURES, picklesUnder } from '../../support/snapshots.js';
import { runHere } from './runHere.js';

const WORKSPACE = { files: ['train.py'], rules: [] };

/** Notes the files that are begun. */
class Notes implements CommandContext {
  readonly excluded = new Set<string>();
  readonly within = null;
  readonly begun: string[] = [];
  readonly complaints: string[] = [];
  readonly print = (): undefined => undefined;
  readonly read = (): undefined => undefined;
  readonly analyzing = (): undefined => undefined;
  readonly complain = (message: string): void => {
    this.complaints.push(message);
  };
  readonly reading = (path: string): void => {
    this.begun.push(path);
  };
}

function reportOn(contents: Contents, context: CommandContext): Promise<{ report: Report }> {
  return reportOfGathered({ contents, summaries: [] }, new Reporting(WORKSPACE), context);
}

/** The reports with and without outlines have to be the same. @returns how many outlines there were */
async function outlinesOf(paths: readonly string[], readAgain: number | null = 0): Promise<number> {
  const context = new Notes();
  const inputs = await expandInputs(paths, context);
  const expected = await reportOn(await readInputs(inputs, new Notes()), context);
  const dumps = new EarlierDumps(inputs, context, null);
  const contents = await dumps.read();
  const outlines = contents.digests.filter((digest) => !Object.keys(digest).includes('steps')).length;
  const { report } = await dumps.report(contents, () => reportOn(contents, context));
  assert.equal(JSON.stringify(report), JSON.stringify(expected.report));
  if (readAgain !== null) assert.equal(context.begun.length - inputs.length, readAgain, 'read again');
  assert.deepEqual(context.complaints, []);
  return outlines;
}

describe('Earlier dumps of a process', () => {
  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'leakline-earlier-'));
  });

  afterEach(() => {
    rmSync(folder, { recursive: true, force: true });
  });

  /** Dumps of a made-up process. @param nameOf a dump, by its number @returns how many events there were at each */
  function record(seed: number, dumps: number, ring: number, nameOf: (dump: number) => string): number[] {
    const training = new RandomTraining(seed, 4);
    return Array.from({ length: dumps }, (_, dump) => {
      for (let step = 0; step < 3; step++) training.run();
      const { bytes, endEvent } = training.dump(ring);
      writeFileSync(join(folder, nameOf(dump)), bytes);
      return endEvent;
    });
  }

  it('are reported as if each was digested as a whole', async () => {
    for (let seed = 1; seed <= tries(60, 8); seed++) {
      record(seed, 6, Infinity, (dump) => `run_step_${dump + 7}.pickle`);
      assert.equal(await outlinesOf([folder]), 5, `seed ${seed}`);
    }
  });

  it('are reported so under any names', async () => {
    for (let seed = 1; seed <= tries(60, 4); seed++) {
      for (let turn = 0; turn < 6; turn++) {
        record(seed, 6, Infinity, (dump) => `snapshot_${(dump + turn) % 6}.pickle`);
        assert.equal(await outlinesOf([folder]), 5 - turn, `seed ${seed}, turn ${turn}`);
      }
    }
  });

  it('are whole where the ring has lost events', async () => {
    const nameOf = (dump: number): string => `run_step_${dump}.pickle`;
    const [, , ring] = record(5, 6, 40, nameOf);
    assert.equal(await outlinesOf([folder]), 0);
    record(5, 6, ring, nameOf);
    assert.equal(await outlinesOf([folder]), 0, 'three begin alike, but the last does not');
  });

  it('are read again to distinguish a second process', async () => {
    record(1, 3, Infinity, (dump) => `run_step_${dump}.pickle`);
    record(2, 3, Infinity, (dump) => `run_step_${dump + 3}.pickle`);
    assert.equal(await outlinesOf([folder], 2), 2);
  });

  it('are reported as if whole in real recordings', async () => {
    const series = ['aux_loss', 'node_cycle'].map((name) => join(FIXTURES, 'recordings', name));
    const dumps = series.map((one) => picklesUnder(one).length);
    assert.deepEqual([await outlinesOf([series[0]]), await outlinesOf([series[1]])], [dumps[0] - 1, dumps[1] - 1]);
    const ranks = join(FIXTURES, 'recordings/two_ranks');
    assert.equal(await outlinesOf([ranks, ...series]), picklesUnder(join(FIXTURES, 'recordings')).length - 4);
  });

  it('are reported as damaged in the middle of their trace', async () => {
    record(1, 3, Infinity, (dump) => `run_step_${dump}.pickle`);
    const files = picklesUnder(folder);
    const [, second] = files;
    const bytes = readFileSync(second);
    writeFileSync(second, bytes.fill(0, bytes.length >> 1, (bytes.length >> 1) + 64));
    const { status, stdout, stderr } = await runHere('analyze', '--json', ...files);
    assert.equal(status, 2);
    assert.match(stderr, /^leakline: \S*run_step_1\.pickle .*unknown opcode.*\n$/);
    assert.equal((JSON.parse(stdout) as Report).runs[0].snapshots.length, 2);
  });

  /** Three dumps of a process, large enough not to be read completely. @returns their paths */
  function recordLarge(dialect: string, events: number, kept = Infinity): string[] {
    makeSnapshotFile(join(folder, 'run_step_%.pickle'), events, dialect, Infinity, 3, kept);
    return picklesUnder(folder);
  }

  for (const dialect of ['protocol4', 'cpp']) {
    it(`are read without the events that the last one has (${dialect})`, async () => {
      const files = recordLarge(dialect, 100_000);
      assert.equal(await outlinesOf(files), 2);
      const expected = await runHere('analyze', '--json', ...files);
      const second = readFileSync(files[1]);
      const middle = second.length >> 1;
      writeFileSync(files[1], second.fill(0, middle, middle + 64));
      const { status, stdout } = await runHere('analyze', '--json', ...files);
      assert.equal(status, 0, 'events in the middle are not read');
      assert.equal(stdout, expected.stdout);
    });
  }

  it('are read once where much memory is reserved, and where files have only temporary memory', async () => {
    for (const events of [10_000, 30_000]) assert.equal(await outlinesOf(recordLarge('protocol4', events)), 2);
  });

  it('are read completely where they or their ends differ from the last one', async () => {
    const [first, second, third] = recordLarge('protocol4', 30_000);
    const whole = readFileSync(second);
    // A digit of a number near the end of the trace.
    const end = whole.lastIndexOf('allocator_settings') - 200;
    writeFileSync(second, Buffer.from(whole).fill(whole[end] ^ 1, end, end + 1));
    await outlinesOf([first, second, third], null);
    writeFileSync(second, whole);
    const last = readFileSync(third);
    rmSync(folder, { recursive: true });
    mkdirSync(folder);
    recordLarge('protocol4', 30_000, 32);
    writeFileSync(third, last);
    // Its beginning is that of the last one; then it frees what the other kept.
    await outlinesOf([first, second, third], null);
  });

  it('are complained about in the order of the files', async () => {
    record(1, 3, Infinity, (dump) => `run_step_${dump}.pickle`);
    const bytes = new RandomTraining(1, 4).dump(Infinity).bytes;
    mkdirSync(join(folder, 'torn'));
    for (const name of ['a_1.pickle', 'a_2.pickle']) {
      writeFileSync(join(folder, 'torn', name), bytes.subarray(0, bytes.length - 3));
    }
    const { status, stderr } = await runHere('analyze', '--json', folder);
    assert.equal(status, 2);
    assert.match(stderr, /^leakline: \S*a_1\.pickle ends early.*\nleakline: \S*a_2\.pickle ends early.*\n$/);
  });
});
