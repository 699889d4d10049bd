import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { plantedWorkspace } from '../../../bench/planted.js';
import { digestSnapshot, type SnapshotDigest } from '../../../src/core/digest/digest.js';
import { stepOfDigest } from '../../../src/core/runs/runs.js';
import type { ProofKeeper } from '../../../src/core/report/provedBefore.js';
import type { LineReport, Verdict } from '../../../src/core/report/report.js';
import { ReportsFromSources } from '../../../src/core/report/reportFromSources.js';
import type { ReportWorkspace } from '../../../src/core/report/reportWorkspace.js';
import { readRecording } from '../../../src/node/recordingFile.js';
import { FIXTURES, picklesUnder, readBytes, readFile } from '../../support/snapshots.js';
import { TrainingRun, type Frame } from '../../support/trainingRun.js';

const FOLDER = join(FIXTURES, 'planted');
const SOURCES = plantedWorkspace(FOLDER);
const UNREAD: ReportWorkspace = { files: SOURCES.files, rules: [] };

/** A planted program's first steps, with what the recorder saw. */
async function first(program: string, steps: number): Promise<SnapshotDigest[]> {
  const files = picklesUnder(join(FOLDER, 'recordings', program));
  const digests = await Promise.all(
    files.map(async (path) => digestSnapshot(path, await readFile(path), await readRecording(path))),
  );
  return digests.filter((digest) => (stepOfDigest(digest) ?? 0) <= steps);
}

/** Snapshots as others make them: no recorder, and without traces if asked. */
function plain(digests: readonly SnapshotDigest[], traced = true): SnapshotDigest[] {
  return digests.map((digest) => ({
    ...digest,
    recording: null,
    ...(traced ? {} : { eventCount: 0, heads: [], spans: [], steps: null, lifetimes: [] }),
  }));
}

async function worstLine(digests: readonly SnapshotDigest[], workspace: ReportWorkspace): Promise<LineReport> {
  const { report } = await new ReportsFromSources(() => 0).report(digests, workspace);
  const [run] = report.runs;
  const line = run.lines.find(({ verdict }) => verdict === run.verdict);
  assert.ok(line !== undefined);
  return line;
}

async function verdictOf(digests: readonly SnapshotDigest[], workspace: ReportWorkspace): Promise<Verdict> {
  return (await worstLine(digests, workspace)).verdict;
}

/** A program of one file that keeps a tensor in each step, with a snapshot after every tenth; stacks are innermost first. */
async function keeping(text: string, stack: readonly [line: number, name: string][], steps: number): Promise<Verdict> {
  const frames = stack.map(([line, name]): Frame => ({ filename: '/job/train.py', line, name }));
  const run = new TrainingRun();
  const digests: SnapshotDigest[] = [];
  for (let step = 1; step <= steps; step++) {
    run.free(run.allocate(2_000_000, []));
    run.allocate(1_000_000, frames);
    if (step % 10 === 0) digests.push(digestSnapshot(`step_${step}.pickle`, await readBytes(run.dump()), null));
  }
  return verdictOf(digests, {
    files: ['train.py'],
    rules: [],
    sourceText: () => text,
    lineText: (_, line) => text.split('\n')[line - 1] ?? null,
    sourceFacts: () => ({ sha256: createHash('sha256').update(text).digest('hex'), savedAtUs: 0 }),
  });
}

/** The planted programs with an edit. */
function edited(from: string, to: string): ReportWorkspace {
  const text = (file: string): string | null => SOURCES.sourceText?.(file)?.replace(from, to) ?? null;
  return {
    ...SOURCES,
    sourceText: text,
    lineText: (file, line) => text(file)?.split('\n')[line - 1] ?? null,
    sourceFacts: (file) => ({
      sha256: createHash('sha256')
        .update(text(file) ?? '')
        .digest('hex'),
      savedAtUs: 0,
    }),
  };
}

describe('An accusation', () => {
  it('after a few steps needs somebody who keeps the memory, in the source', async () => {
    const early = await first('endless_replay', 20);
    assert.equal(await verdictOf(early, SOURCES), 'leak');
    assert.equal(await verdictOf(plain(early), SOURCES), 'leak');
    // The recorder sees a list, but not what takes things out of it.
    assert.equal(await verdictOf(early, UNREAD), 'growing');
    const line = await worstLine(plain(early), UNREAD);
    assert.equal(line.verdict, 'growing');
    assert.equal(line.leakedBytes, 0);
    assert.match(line.evidence?.reason ?? '', /Too early to tell a buffer that fills up from a leak\.$/);
    assert.ok(line.stacks.every(({ verdict }) => verdict !== 'leak'));
    assert.equal(await verdictOf(plain(await first('endless_replay', 40)), UNREAD), 'leak');
  });

  it('waits for what is kept under keys, and for an optimizer’s state', async () => {
    for (const program of ['cached_samples', 'batch_plans', 'thawed_layers', 'chat_sessions']) {
      for (const steps of [20, 40]) {
        const digests = await first(program, steps);
        for (const seen of [digests, plain(digests), plain(digests, false)]) {
          for (const workspace of [SOURCES, UNREAD]) {
            const { report } = await new ReportsFromSources(() => 0).report(seen, workspace);
            assert.ok(
              report.runs.every(({ verdict }) => verdict !== 'leak'),
              `${program} after ${steps} steps`,
            );
          }
        }
      }
    }
    assert.equal(await verdictOf(await first('endless_cache', 20), SOURCES), 'growing');
    assert.equal(await verdictOf(await first('endless_cache', 40), SOURCES), 'leak');
  });

  it('waits for what something may yet let go of, wherever that stands, and says where', async () => {
    const ends = {
      metric_collection: /base\.py:11 may yet let go of it\./,
      kv_episodes: /model\.py:12 may yet let go of it\./,
      teacher_targets: /once all keys of cache\.py:10 have come\./,
      lr_finder: /Training goes on in another loop afterwards \(train\.py:20\)\./,
      calibration: /observer\.py:19 may yet let go of it\./,
      chunk_writer: /async_writer\.py:\d+ may yet let go of it\./,
      epoch_callbacks: /callbacks\.py:13 may yet let go of it\./,
      rollout_storage: /storage\.py:11 may yet let go of it\./,
      activation_recorder: /Training goes on in another loop afterwards \(train\.py:11\)\./,
    };
    for (const [program, end] of Object.entries(ends)) {
      const digests = await first(program, 60);
      for (const seen of [digests, plain(digests)]) {
        const { report } = await new ReportsFromSources(() => 0).report(seen, SOURCES);
        assert.ok(
          report.runs.every(({ verdict }) => verdict === 'growing'),
          program,
        );
        const reasons = report.runs.flatMap(({ lines }) => lines.map(({ evidence }) => evidence?.reason ?? ''));
        assert.ok(
          reasons.some((reason) => end.test(reason)),
          reasons.join('\n'),
        );
      }
      const line = await worstLine(plain(digests), UNREAD);
      assert.match(line.evidence?.reason ?? '', /The source that ran was not read: /, program);
    }
    assert.equal(await verdictOf(await first('unused_capacity', 20), SOURCES), 'leak');
    assert.equal(await verdictOf(await first('pool_counter', 60), SOURCES), 'growing');
    assert.equal(await verdictOf(await first('pool_counter', 75), SOURCES), 'leak');
  });

  it('waits for what a generator on the way shuffles, and for networks that are made to grow', async () => {
    for (const [program, why] of [
      ['shuffle_buffer', /pipeline\.py:24 may yet let go of it\./],
      ['task_adapters', /Layers added to a network on purpose look the same\./],
    ] as const) {
      const digests = await first(program, 75);
      for (const seen of [digests, plain(digests)]) {
        const line = await worstLine(seen, SOURCES);
        assert.equal(line.verdict, 'growing', program);
        assert.match(line.evidence?.reason ?? '', why, program);
      }
      assert.equal(await verdictOf(plain(digests, false), SOURCES), 'growing', program);
    }
    // The trainer has another name for the hook that would let go.
    assert.equal(await verdictOf(await first('old_hook_name', 20), SOURCES), 'leak');
  });

  it('waits longer for a source that was followed to its line and does not show who keeps the memory', async () => {
    const source = [
      'from somewhere import model, sink',
      '',
      'class Memory:',
      '    def keep(self, loss):',
      '        self.kept.append(loss.clone())',
      '',
      'for step in range(1000):',
      '    sink(model(step).clone())',
      '',
    ].join('\n');
    const verdicts = (stack: [number, string][]): Promise<Verdict[]> =>
      Promise.all([40, 80].map((steps) => keeping(source, stack, steps)));
    assert.deepEqual(await verdicts([[8, '<module>']]), ['growing', 'leak']);
    // A stack that begins in between: whoever calls this may be anybody, as where no source is to be had.
    assert.deepEqual(await verdicts([[5, 'keep']]), ['leak', 'leak']);
  });

  it('of one tensor that grows needs its statement: longer inputs look the same', async () => {
    const digests = await first('growing_vocabulary', 40);
    assert.equal(await verdictOf(digests, SOURCES), 'leak');
    assert.equal(await verdictOf(digests, UNREAD), 'growing');
  });

  it('needs no patience with a buffer that will not fit into the device', async () => {
    const onDevice = async (items: number): Promise<LineReport> => {
      const digests = await first('filling_replay', 20);
      const [{ liveBytes }] = digests.at(-1)?.devices ?? [];
      // Twenty items are there, fifteen are to come.
      const capacityBytes = liveBytes + Math.round((liveBytes / 20) * items);
      const small = digests.map((digest): SnapshotDigest => {
        const { recording } = digest;
        if (recording === null) return digest;
        const devices = recording.devices.map((device) => ({ ...device, capacityBytes, outsideBytes: 0 }));
        return { ...digest, recording: { ...recording, devices } };
      });
      return worstLine(small, UNREAD);
    };
    const tooMuch = await onDevice(5);
    assert.deepEqual([tooMuch.verdict, tooMuch.bound?.fits], ['leak', false]);
    assert.ok(tooMuch.leakedBytes > 0);
    const reason = tooMuch.evidence?.reason ?? '';
    assert.ok(!/still filling|Too early/.test(reason), reason);
    const roomy = await onDevice(30);
    assert.deepEqual([roomy.verdict, roomy.bound?.fits, roomy.bound?.isFull], ['growing', true, false]);
  });

  it('without traces needs more snapshots if nobody is known who keeps the memory', async () => {
    const digests = plain(await first('prediction_list', 30), false);
    assert.equal(digests.length, 5);
    assert.equal(await verdictOf(digests.slice(0, 3), SOURCES), 'growing');
    assert.equal(await verdictOf(digests, SOURCES), 'leak');
    assert.equal(await verdictOf(digests, UNREAD), 'growing');
  });

  it('stands while the source that proved it is edited, and takes nothing else along', async () => {
    const cured = edited('replay.append(batch)', 'replay.append(batch.mean().item())');
    const digests = plain(await first('endless_replay', 20));
    const reports = new ReportsFromSources(() => 0);
    const lineOf = async (workspace: ReportWorkspace): Promise<LineReport> => {
      const [run] = (await reports.report(digests, workspace)).report.runs;
      const line = run.lines.find(({ verdict }) => verdict === run.verdict);
      assert.ok(line !== undefined);
      return line;
    };
    assert.equal(await verdictOf(digests, cured), 'growing', 'of a leak that was not proved before');
    const before = await lineOf(edited('', ''));
    const during = await lineOf(cured);
    assert.equal(before.verdict, 'leak');
    assert.deepEqual([during.verdict, during.leakedBytes], ['leak', before.leakedBytes]);
    assert.ok(before.holder !== null);
    assert.deepEqual(during.holder, { ...before.holder, edit: null });
    assert.equal((await lineOf(cured)).verdict, 'leak', 'and asked again');

    const early = plain(await first('capped_history', 20));
    for (const workspace of [edited('', ''), edited('history.pop(0)', 'print(history)')]) {
      const [run] = (await reports.report(early, workspace)).report.runs;
      assert.equal(
        run.verdict,
        workspace.sourceText?.('silent/capped_history.py')?.includes('pop(0)') ? 'growing' : 'leak',
      );
    }
  });

  it('stands in a window that is opened anew, and not for a run that was recorded anew', async () => {
    const cured = edited('replay.append(batch)', 'replay.append(batch.mean().item())');
    const digests = plain(await first('endless_replay', 20));
    let kept: unknown = null;
    let stored = 0;
    const keeper: ProofKeeper = {
      load: () => Promise.resolve(kept),
      store: (proofs) => {
        kept = JSON.parse(JSON.stringify(proofs));
        stored++;
      },
    };
    const verdictInNewWindow = async (seen: readonly SnapshotDigest[], workspace: ReportWorkspace): Promise<Verdict> =>
      (await new ReportsFromSources(() => 0, keeper).report(seen, workspace)).report.runs[0].verdict;
    assert.equal(await verdictInNewWindow(digests, SOURCES), 'leak');
    assert.equal(await verdictInNewWindow(digests, cured), 'leak');
    // Snapshots come in one after the other: the newest alone proves nothing, and takes nothing back.
    assert.notEqual(await verdictInNewWindow(digests.slice(-1), cured), 'leak');
    assert.equal(await verdictInNewWindow(digests, cured), 'leak');
    assert.equal(stored, 1, 'what is kept already is not written again');

    const again = digests.map((digest) => ({ ...digest, takenAtUs: (digest.takenAtUs ?? 0) + 1e9 }));
    assert.equal(await verdictInNewWindow(again, cured), 'growing');
    for (const damaged of [7, [7], [{ key: 'a', versions: [[1]], holder: null }], { length: 3 }]) {
      kept = damaged;
      assert.equal(await verdictInNewWindow(digests, cured), 'growing', JSON.stringify(damaged));
    }
  });

  it('does not stand where the recorder saw the very source that is there now', async () => {
    const reports = new ReportsFromSources(() => 0);
    const recorded = (await first('capped_history', 30)).map((digest) => ({
      ...digest,
      recording: digest.recording === null ? null : { ...digest.recording, owners: [] },
    }));
    const verdictWith = async (workspace: ReportWorkspace): Promise<Verdict> =>
      (await reports.report(recorded, workspace)).report.runs[0].verdict;
    assert.equal(await verdictWith(edited('history.pop(0)', 'print(history)')), 'leak');
    assert.notEqual(await verdictWith(edited('', '')), 'leak');
  });

  it('of an optimizer’s state needs more of it than the parameters can have', async () => {
    for (const seen of [await first('task_heads', 40), plain(await first('task_heads', 40))]) {
      for (const workspace of [SOURCES, UNREAD]) assert.notEqual(await verdictOf(seen, workspace), 'leak');
    }
    assert.equal(await verdictOf(plain(await first('tried_optimizers', 40)), UNREAD), 'leak');
  });
});
