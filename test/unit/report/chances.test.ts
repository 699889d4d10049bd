import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { plantedWorkspace } from '../../../bench/planted.js';
import { digestSnapshot, type SnapshotDigest } from '../../../src/core/digest/digest.js';
import { stepOfDigest } from '../../../src/core/runs/runs.js';
import type { ProofStore } from '../../../src/core/report/lines/provedBefore.js';
import type { LineReport, Verdict } from '../../../src/core/report/report.js';
import { ReportsFromSources } from '../../../src/core/report/sources/reportFromSources.js';
import type { ReportWorkspace } from '../../../src/core/report/reportWorkspace.js';
import { readRecording } from '../../../src/node/recordingFile.js';
import { FIXTURES, picklesUnder, readFile } from '../../support/snapshots.js';

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

/** A snapshot as older recorders made it. */
function withoutCustody(digest: SnapshotDigest): SnapshotDigest {
  const { recording } = digest;
  const owners = recording?.owners.map((owner) => ({ ...owner, custody: null })) ?? [];
  return { ...digest, recording: recording === null ? null : { ...recording, owners } };
}

async function worstLine(digests: readonly SnapshotDigest[], workspace: ReportWorkspace): Promise<LineReport> {
  const { report } = await new ReportsFromSources().report(digests, workspace);
  const [run] = report.runs;
  const line = run.lines.find(({ verdict }) => verdict === run.verdict);
  assert.ok(line !== undefined);
  return line;
}

async function verdictOf(digests: readonly SnapshotDigest[], workspace: ReportWorkspace): Promise<Verdict> {
  return (await worstLine(digests, workspace)).verdict;
}

/** The planted programs with an edit. */
function edited(from: string | RegExp, to: string): ReportWorkspace {
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

describe('A leak', () => {
  it('is no key of a running value that keeps its graph, but one of a value without', async () => {
    const digests = plain(await first('running_variance', 30));
    const keyed = (value: string): ReportWorkspace =>
      edited(
        /= torch\.ones\(width, device=device\)(?<between>[^]*)self\.running_var = .*/,
        `= {}$<between>self.running_var[name] = ${value}`,
      );
    assert.equal(await verdictOf(digests, keyed('0.9 * self.running_var[name] + 0.1 * var')), 'leak');
    assert.equal(await verdictOf(digests, keyed('var')), 'growing');
  });

  it('is not proved by a bounded container that more memory is live than it can hold', async () => {
    const digests = plain(await first('prediction_list', 30));
    const bounded = edited(
      'class Report:\n    def __init__(self):\n        self.logits = []',
      'from collections import deque\nclass Report:\n    def __init__(self): self.logits = deque(maxlen=8)',
    );
    const { verdict, evidence, holder } = await worstLine(digests, bounded);
    assert.deepEqual([verdict, holder], ['growing', null]);
    assert.equal(evidence?.reason, 'The source does not show what holds it.');
  });

  it('is proved by the source, and without source and recorder never', async () => {
    const early = await first('endless_replay', 20);
    assert.equal(await verdictOf(early, SOURCES), 'leak');
    assert.equal(await verdictOf(plain(early), SOURCES), 'leak');
    for (const steps of [20, 40]) {
      const digests = plain(await first('endless_replay', steps));
      const { report } = await new ReportsFromSources().report(digests, { ...UNREAD, capacityBytes: 1e9 });
      assert.equal(report.runs[0].verdict, 'growing');
      assert.ok(report.runs[0].forecast !== null);
      const line = await worstLine(digests, UNREAD);
      assert.deepEqual([line.verdict, line.leakedBytes], ['growing', 0]);
      assert.ok((line.bytesPerStep ?? 0) > 0);
      assert.match(line.evidence?.reason ?? '', /To find out whether it is a leak, record with Leakline/);
      assert.ok(line.stacks.every(({ verdict }) => verdict !== 'leak'));
    }
  });

  it('is not reported while a release is still to come, and the evidence names its place', async () => {
    const ends = {
      metric_collection: /base\.py:11 may release it, but has not freed it so far\./,
      kv_episodes: /model\.py:12 may release it/,
      teacher_targets: /when all keys of cache\.py:10 have occurred\./,
      lr_finder: /Training goes on in another loop afterwards \(train\.py:20\)\./,
      calibration: /observer\.py:19 may release it/,
      chunk_writer: /async_writer\.py:\d+ may release it/,
      epoch_callbacks: /callbacks\.py:13 may release it/,
      rollout_storage: /storage\.py:11 may release it/,
      activation_recorder: /Training goes on in another loop afterwards \(train\.py:11\)\./,
      shuffle_buffer: /pipeline\.py:24 may release it/,
      task_adapters: /adapters\.py:18 uses it in each step, so the program may need it\./,
    };
    for (const [program, end] of Object.entries(ends)) {
      // Its buffer is full after 70 steps.
      const digests = await first(program, program === 'shuffle_buffer' ? 20 : 75);
      for (const seen of [digests, plain(digests)]) {
        const { report } = await new ReportsFromSources().report(seen, SOURCES);
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
    }
  });

  it('is reported at once where a name that could release is never called', async () => {
    for (const program of ['unused_capacity', 'old_hook_name'])
      assert.equal(await verdictOf(await first(program, 20), SOURCES), 'leak', program);
  });

  it('of one tensor that grows needs its statement: longer inputs look the same', async () => {
    const digests = await first('growing_vocabulary', 40);
    assert.equal(await verdictOf(digests, SOURCES), 'leak');
    assert.equal(await verdictOf(digests, UNREAD), 'growing');
  });

  it('is proved by releases that came and freed none of it: rounds that were counted, frees in the trace', async () => {
    for (const [program, steps, verdict, why] of [
      ['library_history', 80, 'growing', /The loop at minitrainer\.py:16 may release it, but has not repeated/],
      ['library_history', 240, 'leak', /The loop at minitrainer\.py:16 repeated \d times\./],
      ['other_reset', 320, 'leak', /other_reset\.py:17 ran 3 times, and did not free it\./],
    ] as const) {
      const digests = await first(program, steps);
      // Without what the searches for holders showed of custody, the trace and the loops decide.
      const line = await worstLine(digests.map(withoutCustody), SOURCES);
      assert.equal(line.verdict, verdict, program);
      assert.match(line.evidence?.reason ?? '', why);
    }
  });

  it('is proved by the recorder alone where the holder freed nothing in each round, and waits for the rounds', async () => {
    assert.equal(await verdictOf(await first('library_history', 80), UNREAD), 'growing');
    const line = await worstLine(await first('library_history', 240), UNREAD);
    assert.equal(line.verdict, 'leak');
    assert.match(line.evidence?.reason ?? '', /the holder freed none of its [\d.]+ KiB\. The loop at minitrainer/);
    assert.match(line.holder?.fix ?? '', /^(Call|Clear) /);
    const early = await worstLine(await first('library_history', 80), UNREAD);
    assert.match(early.evidence?.reason ?? '', /The loop at minitrainer\.py:16 may release it, but has not repeated/);
    assert.equal(early.holder?.fix, null);
  });

  it('remains while the source that proved it is edited, and affects no other line', async () => {
    const cured = edited('replay.append(batch)', 'replay.append(batch.mean().item())');
    const digests = plain(await first('endless_replay', 20));
    const reports = new ReportsFromSources();
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

  it('remains in a reopened window, and not for a new recording', async () => {
    const cured = edited('replay.append(batch)', 'replay.append(batch.mean().item())');
    const digests = plain(await first('endless_replay', 20));
    let kept: unknown = null;
    let stored = 0;
    const store: ProofStore = {
      load: () => Promise.resolve(kept),
      store: (proofs) => {
        kept = JSON.parse(JSON.stringify(proofs));
        stored++;
      },
    };
    const verdictInNewWindow = async (seen: readonly SnapshotDigest[], workspace: ReportWorkspace): Promise<Verdict> =>
      (await new ReportsFromSources(store).report(seen, workspace)).report.runs[0].verdict;
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

  it('of an optimizer’s state needs more of it than the parameters can have', async () => {
    for (const seen of [await first('task_heads', 40), plain(await first('task_heads', 40))]) {
      for (const workspace of [SOURCES, UNREAD]) assert.notEqual(await verdictOf(seen, workspace), 'leak');
    }
    assert.equal(await verdictOf(plain(await first('tried_optimizers', 40)), SOURCES), 'leak');
  });
});
