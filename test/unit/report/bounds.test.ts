import assert from 'node:assert/strict';
import { join } from 'node:path';
import { plantedSources } from '../../../bench/planted.js';
import { digestSnapshot, type SnapshotDigest } from '../../../src/core/digest/digest.js';
import { stepOfDigest } from '../../../src/core/runs/runs.js';
import { byteText } from '../../../src/core/text/numberText.js';
import type { LineReport, RunReport } from '../../../src/core/report/report.js';
import type { ReportWorkspace } from '../../../src/core/report/reportWorkspace.js';
import { ReportsFromSources } from '../../../src/core/report/sources/reportFromSources.js';
import type { RecordedOwner, Recording } from '../../../src/core/model/recording.js';
import { readRecording } from '../../../src/node/recordingFile.js';
import { SourceFiles } from '../../../src/node/sourceFiles.js';
import { FIXTURES, picklesUnder, readFile } from '../../support/snapshots.js';

const FOLDER = join(FIXTURES, 'planted');
const { lineText, sourceText, sourceFacts } = new SourceFiles([{ prefix: '', folder: FOLDER }]);
const WORKSPACE = { files: plantedSources(FOLDER), rules: [], lineText, sourceText, sourceFacts };
/** Programs that keep what they release later than was recorded. */
const INNOCENT = ['first_epoch', 'epoch_local', 'filling_lru', 'capped_history', 'capped_cache'];
const GUILTY = ['endless_replay', 'endless_epochs', 'endless_cache', 'graph_replay', 'cached_bias'];

type Look = (recording: Recording) => Recording | null;

async function digestsOf(name: string, steps: number, look: Look = (seen) => seen): Promise<SnapshotDigest[]> {
  const digests = await Promise.all(
    picklesUnder(join(FOLDER, 'recordings', name)).map(async (path) => {
      const recording = await readRecording(path);
      return digestSnapshot(path, await readFile(path), recording === null ? null : look(recording));
    }),
  );
  return digests.filter((digest) => (stepOfDigest(digest) ?? 0) <= steps);
}

async function runOf(digests: readonly SnapshotDigest[], changed: Partial<ReportWorkspace> = {}): Promise<RunReport> {
  const reports = new ReportsFromSources();
  return (await reports.report(digests, { ...WORKSPACE, ...changed })).report.runs[0];
}

function leaks({ lines }: RunReport): LineReport[] {
  return lines.filter(({ verdict }) => verdict === 'leak');
}

function hasBound({ lines }: RunReport): boolean {
  return lines.some(({ bound }) => bound !== null);
}

/** As if the recorder had seen no owners, but the sources. */
const blind: Look = (recording) => ({ ...recording, owners: [] });

const withOwners =
  (change: (owner: RecordedOwner) => RecordedOwner): Look =>
  (recording) => ({ ...recording, owners: recording.owners.map(change) });

describe('A bounded container', () => {
  it('is not a leak until it is full, by any source, and neither is the run', async () => {
    for (const name of INNOCENT) {
      for (const look of [undefined, blind]) {
        for (const steps of [20, 40]) {
          const run = await runOf(await digestsOf(name, steps, look));
          assert.deepEqual([leaks(run).length, run.verdict], [0, 'growing'], `${name} ${steps}`);
          const growing = run.lines.filter(({ evidence }) => evidence?.reason.startsWith('Held by') ?? false);
          assert.ok(growing.length > 0 || steps === 20, name);
          for (const line of growing) {
            assert.equal(line.leakedBytes, 0);
            assert.ok(line.stacks.every(({ verdict }) => verdict !== 'leak'));
          }
        }
      }
    }
  });

  it('differs from its unbounded twin, which is a leak', async () => {
    for (const name of GUILTY) {
      for (const look of [undefined, blind]) {
        const run = await runOf(await digestsOf(name, 40, look));
        assert.ok(leaks(run).length > 0, name);
        assert.equal(run.verdict, 'leak', name);
      }
    }
  });

  it('is described with its holder and place', async () => {
    const reasonAt = async (name: string, steps: number, look?: Look): Promise<string> => {
      const { lines } = await runOf(await digestsOf(name, steps, look));
      return lines.find(({ evidence }) => evidence?.reason.startsWith('Held') ?? false)?.evidence?.reason ?? '';
    };
    assert.match(
      await reasonAt('filling_replay', 30),
      /^Held by replay \(filling_replay\.py:17\)\. It is a deque of at most 35\. It is still growing: full, it holds about \d[\d.]* [KM]iB\.$/,
    );
    assert.match(
      await reasonAt('filling_lru', 40),
      /^Held by cache of mask\(\) .*It is a cache of at most 64\. It is still/,
    );
    assert.match(await reasonAt('capped_cache', 40), /^Held by self\.kept \(capped_cache\.py:19\)\. It holds at/);
    assert.match(await reasonAt('first_epoch', 40), /^Held by outputs .*A loop around it clears/);
    const full = withOwners((owner) => ({
      ...owner,
      container: { type: 'deque', length: owner.allocatedSteps?.steps ?? 0, maxlen: 28 },
    }));
    assert.match(await reasonAt('filling_replay', 30, full), /a deque of at most 28\. It is full now\./);
  });

  it('has a full size, estimated from its present content', async () => {
    for (const look of [undefined, blind]) {
      const { lines } = await runOf(await digestsOf('filling_replay', 30, look));
      const line = lines.find(({ verdict }) => verdict === 'growing');
      // One block per step and item, thirty so far.
      const whole = ((line?.liveBytes ?? 0) / 30) * 35;
      assert.match(line?.evidence?.reason ?? '', new RegExp(`full, it holds about ${byteText(whole)}\\.`));
    }
  });

  it('is reported not to fit where the device is too small, with a forecast', async () => {
    const onDevice =
      (capacityBytes: number, look: Look): Look =>
      (recording) => {
        const devices = recording.devices.map((device) => ({ ...device, capacityBytes, outsideBytes: 0 }));
        return look({ ...recording, devices });
      };
    for (const look of [(seen: Recording): Recording => seen, blind]) {
      const [{ liveBytes }] = (await digestsOf('filling_replay', 30)).at(-1)?.devices ?? [];
      // Room for a single item more, of the five that are still to come.
      const capacityBytes = liveBytes + Math.round(liveBytes / 30);
      const run = await runOf(await digestsOf('filling_replay', 30, onDevice(capacityBytes, look)));
      assert.equal(run.verdict, 'growing');
      assert.equal(run.forecast?.capacityBytes, capacityBytes);
      const line = run.lines.find(({ bound }) => bound !== null);
      assert.equal(line?.bound?.fits, false);
      const reason = line.evidence?.reason ?? '';
      assert.match(reason, /at most 35\. Full, it would hold 280 KiB\. It does not fit: of .* are left\.$/);
      assert.equal(reason.match(/Held by/g)?.length, 1);
      const roomy = await runOf(await digestsOf('filling_replay', 30, onDevice(liveBytes * 2, look)));
      assert.ok(roomy.lines.every(({ bound }) => bound?.fits !== false));
    }
  });

  it('counts as unbounded once it has outgrown its bound', async () => {
    const same = withOwners((owner) => ({ ...owner, container: { type: 'deque', length: 10, maxlen: 35 } }));
    assert.equal(hasBound(await runOf(await digestsOf('filling_replay', 30, same))), false);
  });

  it('may belong to a base class of the object that the recorder saw', async () => {
    const more = '\n\nclass Kept(Samples):\n    pass\n\n\nclass Cached(Kept):\n    pass\n\n\nclass Loader:\n    pass\n';
    const changed = {
      sourceText: (file: string): string | null => {
        const text = sourceText(file);
        return text !== null && file.endsWith('capped_cache.py') ? text + more : text;
      },
    };
    const isBounded = async (name: string): Promise<boolean> => {
      const look = withOwners((owner) => ({ ...owner, name, place: { file: owner.place?.file ?? '', line: 12 } }));
      return hasBound(await runOf(await digestsOf('capped_cache', 40, look), changed));
    };
    assert.equal(await isBounded('Kept.kept'), true);
    assert.equal(await isBounded('Cached.kept'), true);
    assert.equal(await isBounded('Cached.seen'), false);
    assert.equal(await isBounded('Loader.kept'), false);
  });

  it('is the same container whichever of its statements the recorder names, and another one by another name', async () => {
    const seen = (name: string, line: number): Look =>
      withOwners((owner) => ({ ...owner, name, place: { file: owner.place?.file ?? '', line } }));
    const isBounded = async (program: string, look: Look): Promise<boolean> =>
      hasBound(await runOf(await digestsOf(program, 40, look)));
    // The line that makes it: `self.kept = {}`, `history = []`.
    assert.equal(await isBounded('capped_cache', seen('Samples.kept', 12)), true);
    assert.equal(await isBounded('capped_history', seen('history', 13)), true);
    // Another attribute, another class's, another variable of the function, and one of the same name outside of it.
    assert.equal(await isBounded('capped_cache', seen('Samples.seen', 12)), false);
    assert.equal(await isBounded('capped_cache', seen('Loader.kept', 12)), false);
    assert.equal(await isBounded('capped_history', seen('outputs', 13)), false);
    assert.equal(await isBounded('capped_history', seen('history', 26)), false);
  });

  it('does not hide other growth on the same line', async () => {
    const both: Look = (recording) => ({
      ...recording,
      owners: recording.owners.flatMap((owner) => [
        owner,
        { ...owner, name: 'log', place: { file: owner.place?.file ?? '', line: 1 }, container: null },
      ]),
    });
    assert.equal(hasBound(await runOf(await digestsOf('filling_replay', 30, both))), false);
  });

  it('is not proved by a source that differs from the one that ran', async () => {
    const facts = (): { sha256: string; savedAtUs: number } => ({ sha256: '0'.repeat(64), savedAtUs: 0 });
    const run = await runOf(await digestsOf('first_epoch', 40, blind), { sourceFacts: facts });
    assert.deepEqual([run.verdict, hasBound(run)], ['growing', false]);
  });
});
