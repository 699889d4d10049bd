import assert from 'node:assert/strict';
import { join } from 'node:path';
import { digestSnapshot } from '../../../src/core/digest/digest.js';
import { stackFrames } from '../../../src/core/attribution/ownerTally.js';
import { ownerOf } from '../../../src/core/attribution/owner.js';
import { Action, BlockState, NO_STACK, type Snapshot } from '../../../src/core/model/snapshot.js';
import { buildReport } from '../../../src/core/report/buildReport.js';
import type { PeakReport, RunReport } from '../../../src/core/report/report.js';
import { renderMarkdown } from '../../../src/core/render/renderMarkdown.js';
import { renderText } from '../../../src/core/render/renderText.js';
import { readRecording } from '../../../src/node/recordingFile.js';
import { SourceFiles } from '../../../src/node/sourceFiles.js';
import { plantedSources } from '../../../bench/planted.js';
import { pickle } from '../../support/plainPickle.js';
import { seededRandom } from '../../support/seededRandom.js';
import { generateSnapshot } from '../../support/snapshotGenerator.js';
import { CORPUS, FIXTURES, hasCorpus, picklesUnder, readBytes, readFile } from '../../support/snapshots.js';

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

interface Held {
  bytes: number;
  owner: string;
}

/** The peak by a map from address to bytes and owner, event by event: the plain way. */
function plainPeak(
  snapshot: Snapshot,
  trace: Snapshot['traces'][number],
): { event: number; bytes: number; owners: Map<string, number> } {
  const { events } = snapshot;
  const open = heldBefore(snapshot, trace);
  const best = { event: -2, bytes: -1, owners: new Map<string, number>() };
  const look = (event: number): void => {
    const live = [...open.values()].reduce((sum, { bytes }) => sum + bytes, 0);
    if (live <= best.bytes) return;
    best.event = event;
    best.bytes = live;
    best.owners = new Map();
    for (const one of open.values()) best.owners.set(one.owner, (best.owners.get(one.owner) ?? 0) + one.bytes);
  };
  look(-1);
  for (let event = trace.first; event < trace.first + trace.count; event++) {
    const address = addressOf(events, event);
    if (events.action[event] === Action.FreeCompleted) open.delete(address);
    if (events.action[event] !== Action.Alloc) continue;
    const frames = stackFrames(snapshot, events.stack[event]);
    const forward = stackFrames(snapshot, events.forwardStack?.[event] ?? NO_STACK);
    const owner = ownerOf(frames, forward, 'beforeRecording', nowhere);
    const key = 'bucket' in owner ? owner.bucket : `${owner.line.file}:${owner.line.line} ${owner.line.function}`;
    open.set(address, { bytes: rounded(events.size[event]), owner: key });
    look(event - trace.first);
  }
  return best;
}

/** Memory of a device at the start of its trace: blocks that the trace frees, or that are live at its end. */
function heldBefore(snapshot: Snapshot, trace: Snapshot['traces'][number]): Map<bigint, Held> {
  const { blocks, events, segments } = snapshot;
  const held = new Map<bigint, Held>();
  const seen = new Set<bigint>();
  const owner = 'beforeRecording';
  for (let event = trace.first; event < trace.first + trace.count; event++) {
    const address = addressOf(events, event);
    if (events.action[event] === Action.Alloc) seen.add(address);
    if (events.action[event] !== Action.FreeCompleted || seen.has(address)) continue;
    held.set(address, { bytes: rounded(events.size[event]), owner });
    seen.add(address);
  }
  for (let block = 0; block < blocks.count; block++) {
    const isThere = blocks.state[block] !== BlockState.Inactive;
    if (!isThere || segments.device[blocks.segment[block]] !== trace.device) continue;
    const address = addressOf(blocks, block);
    if (!seen.has(address)) held.set(address, { bytes: blocks.size[block], owner });
  }
  return held;
}

function addressOf(column: { addrHigh: Uint32Array; addrLow: Uint32Array }, row: number): bigint {
  return (BigInt(column.addrHigh[row]) << 32n) | BigInt(column.addrLow[row]);
}

function rounded(bytes: number): number {
  return Math.ceil(bytes / 512) * 512;
}

function ownersOf(peak: PeakReport): Map<string, number> {
  const owners = new Map(peak.lines.map((line) => [`${line.file}:${line.line} ${line.function}`, line.bytes]));
  for (const bucket of ['library', 'beforeRecording'] as const) {
    if (peak.buckets[bucket] > 0) owners.set(bucket, peak.buckets[bucket]);
  }
  return owners;
}

function addsUp(peak: PeakReport, message: string): void {
  const sum = (bytes: readonly number[]): number => bytes.reduce((total, one) => total + one, 0);
  const lines = sum(peak.lines.map((line) => line.bytes));
  assert.equal(lines + sum(Object.values(peak.buckets)), peak.liveBytes, message);
  assert.equal(sum(peak.categories.map((one) => one.bytes)), peak.liveBytes, message);
  for (const line of peak.lines) assert.equal(sum(line.categories.map((one) => one.bytes)), line.bytes, message);
}

describe('The peak', () => {
  it('is held by the lines that a plain replay finds there, to the byte', async () => {
    for (const name of ['aux_loss/snapshots/snapshot_0040.pickle', 'node_cycle/snapshots/step240.pickle']) {
      const file = join(FIXTURES, 'recordings', name);
      const peak = await peakOf(file);
      const snapshot = await readFile(file);
      const plain = plainPeak(snapshot, snapshot.traces[0]);
      assert.deepEqual([peak.event, peak.liveBytes], [plain.event, plain.bytes], name);
      assert.deepEqual([...ownersOf(peak)].sort(), [...plain.owners].sort(), name);
    }
  });

  it('is given for each device, that of most bytes first', async () => {
    let several = 0;
    for (let seed = 1; seed <= 60; seed++) {
      const snapshot = await readBytes(pickle(generateSnapshot(seededRandom(seed))));
      const { report } = buildReport([digestSnapshot('s.pickle', snapshot)], NO_WORKSPACE);
      const [run] = report.runs;
      const name = `seed ${seed}`;
      const traced = snapshot.traces.filter(({ count }) => count > 0);
      if (traced.length > 1) several++;
      assert.deepEqual(
        run.peaks.map(({ device }) => device).sort(),
        traced.map(({ device }) => device),
        name,
      );
      const heights = run.peaks.map(({ liveBytes }) => liveBytes);
      assert.deepEqual(
        heights,
        [...heights].sort((a, b) => b - a),
        name,
      );
      assert.equal(run.peak, run.peaks[0], name);
      const [text, markdown] = [renderText(report, { maxLines: Infinity }), renderMarkdown(report, { maxLines: 30 })];
      for (const peak of run.peaks) {
        const plain = plainPeak(
          snapshot,
          traced.find(({ device }) => device === peak.device)!,
        );
        assert.deepEqual([peak.event, peak.liveBytes], [plain.event, plain.bytes], name);
        assert.deepEqual([...ownersOf(peak)].sort(), [...plain.owners].sort(), name);
        addsUp(peak, name);
        if (peak.liveBytes === 0) continue;
        // What was live when memory ran out stands in place of a peak near to it.
        if (run.outOfMemory.some(({ device }) => device === peak.device)) continue;
        assert.match(text, new RegExp(` ${peak.liveBytes.toLocaleString('en-US')} +peak$`, 'm'), name);
        for (const said of [text, markdown]) assert.ok(said.includes(`Peak of device ${peak.device}: `), name);
      }
    }
    assert.ok(several > 10, `${several} of 60 snapshots have several devices`);
  });

  it('adds up by line and by category, in every recording', async () => {
    const files = [...picklesUnder(join(FIXTURES, 'shapes')), ...picklesUnder(join(FIXTURES, 'recordings'))];
    if (hasCorpus()) files.push(...picklesUnder(join(CORPUS, 'recorded_on_gpu')));
    else console.log('    without the corpus: it is not beside the checkout');
    for (const file of files) {
      const { peak, peaks, categories, snapshots } = await runOf([file]);
      const sum = (bytes: readonly number[]): number => bytes.reduce((total, one) => total + one, 0);
      assert.equal(
        sum(categories.map((one) => one.liveBytes)),
        sum(snapshots[0].devices.map((device) => device.liveBytes)),
        file,
      );
      assert.equal(sum(categories.map((one) => one.peakBytes)), peak?.liveBytes ?? 0, file);
      for (const one of peaks) addsUp(one, file);
    }
  });

  it('has its step, its categories and the memory left from earlier steps', async () => {
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
    assert.equal(line.fromEarlierSteps, 22);
    const options = { maxLines: 30 };
    assert.match(renderText(report, options), /Peak of device 0: 21\.1 MiB in step 24 in the forward pass\./);
    const markdown = renderMarkdown(report, options);
    assert.match(markdown, /^\| 4\.5 MiB \| [\d,]+ \| 26 \| activations \| `\S+model\.py:14 \(forward\)` \|$/m);
    const rows = [...markdown.slice(markdown.indexOf('| at peak |')).matchAll(/^\| \d[^|]* \| ([\d,]+) \|/gm)];
    const bytes = rows.map(([, digits]) => Number(digits.replaceAll(',', '')));
    assert.equal(bytes.at(-1), peak.liveBytes);
    assert.equal(
      bytes.slice(0, -1).reduce((sum, one) => sum + one, 0),
      peak.liveBytes,
    );
    assert.match(markdown, /^- `\S+model\.py:14`: 24 × 192 KiB from one stack/m);
    assert.match(markdown, /^- `\S+model\.py:14`: 22 blocks are left from earlier steps\.$/m);
  });

  it('lists the largest 5,000 lines, and adds up the others to the byte', async () => {
    const entries = Array.from({ length: 6000 }, (_, i) => ({
      action: 'alloc',
      addr: 512 * 8192 * (i + 1),
      size: 512 * (i + 1),
      stream: 0,
      time_us: i,
      frames: [{ name: 'f', filename: '/w/a.py', line: i + 1 }],
    }));
    const freed = { ...entries[0], action: 'free_completed', time_us: 6000 };
    const snapshot = await readBytes(pickle({ segments: [], device_traces: [[...entries, freed]] }));
    const { peak } = buildReport([digestSnapshot('a.pickle', snapshot)], NO_WORKSPACE).report.runs[0];
    assert.ok(peak !== null);
    assert.equal(peak.lines.length, 5000);
    assert.equal(peak.lines[4999].bytes, 512 * 1001);
    assert.deepEqual(peak.otherLines, { lines: 1000, bytes: (512 * 1000 * 1001) / 2, blocks: 1000 });
    const listed = peak.lines.reduce((sum, { bytes }) => sum + bytes, 0);
    assert.equal(listed + peak.otherLines.bytes, peak.liveBytes);
  });

  it('is the state without a trace, and not called a peak', async () => {
    const file = join(FIXTURES, 'shapes/no_history.p4.pickle');
    const run = await runOf([file]);
    assert.equal(run.peak, null);
    assert.deepEqual(
      run.peaks.map(({ isState, liveBytes }) => [isState, liveBytes]),
      run.snapshots[0].devices.map(({ liveBytes }) => [true, liveBytes]),
    );
    const { report } = buildReport([digestSnapshot('a', await readFile(file))], NO_WORKSPACE);
    assert.match(renderText(report, { maxLines: 20 }), /^a: Held on device 0: 33\.0 MiB\./);
    assert.ok(run.categories.every((one) => one.peakBytes === 0));
  });
});
