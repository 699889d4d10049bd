import assert from 'node:assert/strict';
import { join } from 'node:path';
import { digestSnapshot } from '../../../src/core/analysis/digest.js';
import { stackFrames } from '../../../src/core/analysis/ownerTally.js';
import { ownerOf } from '../../../src/core/analysis/owner.js';
import { Action, NO_STACK, type Snapshot } from '../../../src/core/model/snapshot.js';
import { bucketParts } from '../../../src/core/report/bucketParts.js';
import { buildReport } from '../../../src/core/report/buildReport.js';
import type { PeakReport, RunReport } from '../../../src/core/report/report.js';
import { renderMarkdown } from '../../../src/core/report/renderMarkdown.js';
import { renderText } from '../../../src/core/report/renderText.js';
import { readRecording } from '../../../src/node/recordingFile.js';
import { SourceFiles } from '../../../src/node/sourceFiles.js';
import { plantedSources } from '../../../bench/planted.js';
import { CORPUS, FIXTURES, hasCorpus, picklesUnder, readFile } from '../../support/snapshots.js';

const NO_WORKSPACE = { files: [], rules: [] };
const nowhere = (): null => null;

async function runOf(files: readonly string[]): Promise<RunReport> {
  const digests = await Promise.all(files.map(async (file) => digestSnapshot(file, await readFile(file))));
  return buildReport(digests, NO_WORKSPACE).report.runs[0];
}

async function peakOf(file: string): Promise<PeakReport> {
  const { peak } = await runOf([file]);
  assert.ok(peak !== null);
  return peak;
}

/** The highest point by a map from address to bytes and owner, event by event: the plain way. */
function plainPeak(snapshot: Snapshot): { event: number; bytes: number; owners: Map<string, number> } {
  const { events } = snapshot;
  const [trace] = snapshot.traces;
  const open = new Map<bigint, { bytes: number; owner: string }>();
  let live = 0;
  const best = { event: -1, bytes: 0, owners: new Map<string, number>() };
  for (let event = trace.first; event < trace.first + trace.count; event++) {
    const address = (BigInt(events.addrHigh[event]) << 32n) | BigInt(events.addrLow[event]);
    if (events.action[event] === Action.FreeCompleted) {
      live -= open.get(address)?.bytes ?? 0;
      open.delete(address);
    }
    if (events.action[event] !== Action.Alloc) continue;
    const frames = stackFrames(snapshot, events.stack[event]);
    const forward = stackFrames(snapshot, events.forwardStack?.[event] ?? NO_STACK);
    const owner = ownerOf(frames, forward, 'noStack', nowhere);
    const key = 'bucket' in owner ? owner.bucket : `${owner.line.file}:${owner.line.line} ${owner.line.function}`;
    const bytes = Math.ceil(events.size[event] / 512) * 512;
    open.set(address, { bytes, owner: key });
    live += bytes;
    if (live <= best.bytes) continue;
    best.event = event - trace.first;
    best.bytes = live;
    best.owners = new Map();
    for (const one of open.values()) best.owners.set(one.owner, (best.owners.get(one.owner) ?? 0) + one.bytes);
  }
  return best;
}

describe('The peak', () => {
  it('is held by the lines that a plain replay finds there, to the byte', async () => {
    for (const name of ['aux_loss/snapshots/snapshot_0040.pickle', 'node_cycle/snapshots/step240.pickle']) {
      const file = join(FIXTURES, 'recordings', name);
      const peak = await peakOf(file);
      const plain = plainPeak(await readFile(file));
      assert.deepEqual([peak.event, peak.liveBytes], [plain.event, plain.bytes], name);
      const owners = new Map(peak.lines.map((line) => [`${line.file}:${line.line} ${line.function}`, line.bytes]));
      for (const [bucket, bytes] of bucketParts(peak)) if (bytes > 0) owners.set(bucket, bytes);
      assert.deepEqual([...owners].sort(), [...plain.owners].sort(), name);
    }
  });

  it('adds up by line and by category, in every recording', async function () {
    this.timeout(60_000);
    const files = [...picklesUnder(join(FIXTURES, 'shapes')), ...picklesUnder(join(FIXTURES, 'recordings'))];
    if (hasCorpus()) files.push(...picklesUnder(join(CORPUS, 'recorded_on_gpu')));
    else console.log('    without the corpus: it is not beside the checkout');
    for (const file of files) {
      const { peak, categories, snapshots } = await runOf([file]);
      const sum = (bytes: readonly number[]): number => bytes.reduce((total, one) => total + one, 0);
      assert.equal(
        sum(categories.map((one) => one.liveBytes)),
        sum(snapshots[0].devices.map((device) => device.liveBytes)),
        file,
      );
      assert.equal(sum(categories.map((one) => one.peakBytes)), peak?.liveBytes ?? 0, file);
      if (peak === null) continue;
      const lines = sum(peak.lines.map((line) => line.bytes));
      assert.equal(lines + sum(Object.values(peak.buckets)), peak.liveBytes, file);
      assert.equal(sum(peak.categories.map((one) => one.bytes)), peak.liveBytes, file);
      for (const line of peak.lines) assert.equal(sum(line.categories.map((one) => one.bytes)), line.bytes, file);
    }
  });

  it('says in which step it was, what the memory is for and what is left from earlier steps', async () => {
    const folder = join(FIXTURES, 'planted');
    const files = picklesUnder(join(folder, 'recordings/aux_loss'));
    const digests = await Promise.all(
      files.map(async (file) => digestSnapshot(file, await readFile(file), await readRecording(file))),
    );
    const { lineText } = new SourceFiles([{ prefix: '', folder }]);
    const { report } = buildReport(digests, { files: plantedSources(folder), rules: [], lineText });
    const { peak } = report.runs[0];
    assert.ok(peak !== null);
    assert.equal(peak.path, files.at(-1));
    assert.equal(peak.step, 24);
    const line = peak.lines.find((one) => one.file.endsWith('model.py') && one.line === 14);
    assert.equal(line?.categories[0].category, 'activations');
    assert.match(line.facts.join(' '), /^22 blocks are activations left from earlier steps: something keeps them\./);
    assert.match(line.facts.join(' '), /kept for the backward pass: `torch\.utils\.checkpoint` recomputes them/);
    const options = { mostLines: 30 };
    assert.match(renderText(report, options), /Peak of device 0: 21\.1 MiB live \(22,107,648 B\) in step 24/);
    assert.match(
      renderMarkdown(report, options),
      /^- 4\.5 MiB on `\S+model\.py:14 \(forward\)`, 26 blocks\. 22 blocks/m,
    );
  });

  it('is not known without a trace', async () => {
    const run = await runOf([join(FIXTURES, 'shapes/no_history.p4.pickle')]);
    assert.equal(run.peak, null);
    assert.ok(run.categories.every((one) => one.peakBytes === 0));
  });
});
