import assert from 'node:assert/strict';
import { basename, join } from 'node:path';
import { deviceTotals } from '../../../src/core/digest/digest.js';
import { deviceHistory } from '../../../src/core/model/history.js';
import { disagreementAtEnd } from '../../../src/core/model/replay.js';
import { liveAt } from '../../../src/core/timeline/liveAt.js';
import { historyWindow } from '../../../src/core/timeline/timelineWindow.js';
import { Action, type Snapshot } from '../../../src/core/model/snapshot.js';
import { noWorkspace } from '../../support/noWorkspace.js';
import { seededRandom } from '../../support/seededRandom.js';
import { CORPUS, FIXTURES, hasCorpus, picklesUnder, readFile } from '../../support/snapshots.js';

function sumOf(live: ReturnType<typeof liveAt>): number {
  const lines = live.lines.reduce((sum, line) => sum + line.bytes, 0);
  return Object.values(live.buckets).reduce((sum, { bytes }) => sum + bytes, lines);
}

/** The device's live allocations after each event, by a map from address to bytes: the plain way. */
function replay(snapshot: Snapshot, device: number): number[] {
  const { events } = snapshot;
  const trace = snapshot.traces[device];
  const open = new Map<bigint, number>();
  const live: number[] = [];
  let sum = 0;
  for (let event = trace.first; event < trace.first + trace.count; event++) {
    const address = (BigInt(events.addrHigh[event]) << 32n) | BigInt(events.addrLow[event]);
    if (events.action[event] === Action.Alloc) {
      open.set(address, Math.ceil(events.size[event] / 512) * 512);
      sum += open.get(address) ?? 0;
    } else if (events.action[event] === Action.FreeCompleted) {
      sum -= open.get(address) ?? 0;
      open.delete(address);
    }
    live.push(sum);
  }
  return live;
}

describe('A device’s history', () => {
  it('ends with the blocks’ bytes, and every instant’s lines add up to its curve', async () => {
    const files = [...picklesUnder(join(FIXTURES, 'shapes')), ...picklesUnder(join(FIXTURES, 'recordings'))];
    if (hasCorpus()) files.push(...picklesUnder(CORPUS).filter((file) => !/t11[23]|_list/.test(file)));
    else console.log('    without the corpus: it is not beside the checkout');
    const random = seededRandom(7);
    for (const file of files) {
      const snapshot = await readFile(file);
      for (const total of deviceTotals(snapshot)) {
        const history = deviceHistory(snapshot, total.device);
        const { count } = history.trace;
        const known = [history.liveAfter(-1), history.liveAfter(history.peak)];
        assert.deepEqual(known, [history.live[0], history.live[history.peak + 1]], `${basename(file)} start and peak`);
        assert.equal(history.peak + 1, history.live.indexOf(history.live.reduce((a, b) => Math.max(a, b))));
        assert.equal(disagreementAtEnd(snapshot, history.trace), history.disagreement, basename(file));
        const reserved = Array.from({ length: count + 1 }, (_, i) => history.reservedAfter(i - 1));
        assert.deepEqual(reserved, history.reserved === null ? reserved.fill(null) : [...history.reserved]);
        assert.equal(history.live[count], total.liveBytes, `${basename(file)} live`);
        assert.equal(history.reserved?.[count] ?? null, total.reservedBytes, `${basename(file)} reserved`);
        for (const ordinal of [-1, count - 1, ...Array.from({ length: 5 }, () => random(count + 1) - 1)]) {
          const live = liveAt(snapshot, history, ordinal, noWorkspace);
          assert.equal(sumOf(live), live.liveBytes, `${basename(file)} after ${ordinal}`);
        }
      }
    }
  });

  it('is the plain replay’s curve where the recording is whole', async () => {
    for (const name of ['aux_loss/snapshots/snapshot_0040.pickle', 'node_cycle/snapshots/step240.pickle']) {
      const snapshot = await readFile(join(FIXTURES, 'recordings', name));
      const history = deviceHistory(snapshot, 0);
      assert.deepEqual([...history.live.subarray(1)], replay(snapshot, 0));
    }
  });

  it('includes memory from before the recording', async () => {
    const snapshot = await readFile(join(FIXTURES, 'shapes/ring500.p4.pickle'));
    const history = deviceHistory(snapshot, 0);
    const before = liveAt(snapshot, history, -1, noWorkspace);
    assert.ok(before.liveBytes > 0);
    assert.equal(history.live[0], before.liveBytes);
  });

  it('has times that never fall, the same one by one as in their column', async () => {
    const recorded = await readFile(picklesUnder(join(FIXTURES, 'recordings'))[0]);
    const sinceUs = Float64Array.from(recorded.events.sinceUs);
    const snapshot = { ...recorded, events: { ...recorded.events, sinceUs } };
    const { first, count } = snapshot.traces[0];
    for (const stepsBack of [0, 5e6]) {
      sinceUs[first + (count >> 1)] -= stepsBack;
      const history = deviceHistory(snapshot, 0);
      const alone = Array.from({ length: count }, (_, ordinal) => history.timeAt(ordinal));
      assert.deepEqual(alone, [...(history.time ?? [])], `${stepsBack} µs back`);
      assert.ok(alone.every((time, i) => i === 0 || time >= alone[i - 1]));
    }
  });
});

describe('A window of the timeline', () => {
  it('keeps the lowest and highest bytes of every column at any zoom', async () => {
    const snapshot = await readFile(join(FIXTURES, 'recordings/aux_loss/snapshots/snapshot_0040.pickle'));
    const history = deviceHistory(snapshot, 0);
    const random = seededRandom(11);
    for (let round = 0; round < 60; round++) {
      const axis = round % 2 === 0 ? 'events' : 'time';
      const whole = historyWindow(snapshot, history, { axis, window: null, pixels: 40 });
      const a = whole.extent.to * (random(1000) / 1000);
      const b = whole.extent.to * (random(1000) / 1000);
      const window = round < 2 ? null : { from: Math.min(a, b), to: Math.max(a, b) };
      const pixels = 1 + random(300);
      const view = historyWindow(snapshot, history, { axis, window, pixels });
      assert.ok(view.x.length <= pixels * 4 + 1);
      const inside: number[] = [];
      for (let ordinal = 0; ordinal < history.trace.count; ordinal++) {
        const x = axis === 'time' ? (history.time?.[ordinal] ?? 0) : ordinal;
        if (x >= view.window.from && x <= view.window.to) inside.push(ordinal);
      }
      const shown = [...view.event];
      assert.deepEqual(
        shown,
        [...new Set(shown)].sort((p, q) => p - q),
      );
      for (const [i, ordinal] of shown.entries()) {
        assert.equal(view.live[i], history.live[ordinal + 1]);
        assert.equal(view.reserved?.[i], history.reserved?.[ordinal + 1]);
      }
      if (inside.length === 0) continue;
      const exact = inside.map((ordinal) => history.live[ordinal + 1]);
      const drawn = shown.filter((ordinal) => ordinal >= inside[0]).map((ordinal) => history.live[ordinal + 1]);
      assert.equal(Math.max(...drawn), Math.max(...exact));
      assert.equal(Math.min(...drawn), Math.min(...exact));
      assert.equal(drawn.at(-1), exact.at(-1));
    }
  });

  it('points at the peak’s own event', async () => {
    const snapshot = await readFile(join(FIXTURES, 'recordings/aux_loss/snapshots/snapshot_0020.pickle'));
    const history = deviceHistory(snapshot, 0);
    const { peak } = historyWindow(snapshot, history, { axis: 'time', window: null, pixels: 3 });
    assert.equal(peak.liveBytes, Math.max(...history.live));
    assert.equal(history.live[peak.event + 1], peak.liveBytes);
  });

  it('falls back to events where the file has no times', async () => {
    const snapshot = await readFile(join(FIXTURES, 'shapes/t21.p4.pickle'));
    const view = historyWindow(snapshot, deviceHistory(snapshot, 0), { axis: 'time', window: null, pixels: 100 });
    assert.equal(view.axis, 'events');
  });

  it('marks where steps begin, the same ones in each window, at distinguishable distances', async () => {
    const snapshot = await readFile(join(FIXTURES, 'recordings/aux_loss/snapshots/snapshot_0040.pickle'));
    const history = deviceHistory(snapshot, 0);
    const count = history.trace.count;
    const starts = Uint32Array.from({ length: 90 }, (_, step) => Math.floor((step * count) / 90));
    const steps = { source: 'recorder', isSure: true, device: 0, starts } as const;
    const marks = (window: { from: number; to: number } | null, pixels: number): [number, string][] =>
      historyWindow(snapshot, history, { axis: 'events', window, pixels }, { steps, recording: null })
        .marks.filter(({ kind }) => kind === 'step')
        .map(({ x, label }) => [x, label]);
    const numbered = (every: number): [number, string][] =>
      [...starts].map((x, i): [number, string] => [x, String(i + 1)]).filter((_, i) => (i + 1) % every === 0);
    assert.deepEqual(marks(null, 2000), numbered(1));
    assert.deepEqual(marks(null, 600), numbered(2));
    assert.deepEqual(marks(null, 100), numbered(20));
    const part = { from: starts[30], to: starts[60] };
    assert.deepEqual(
      marks(part, 100),
      numbered(5).filter(([x]) => x >= part.from && x <= part.to),
    );
    const guessed = historyWindow(
      snapshot,
      history,
      { axis: 'events', window: null, pixels: 2000 },
      { steps: { ...steps, source: 'period' }, recording: null },
    );
    assert.equal(guessed.marks.find(({ kind }) => kind === 'step')?.label, '~1');
  });

  it('shows the mark that an earlier dump left', async () => {
    const snapshot = await readFile(join(FIXTURES, 'shapes/t213_second_dump.pickle'));
    const { marks } = historyWindow(snapshot, deviceHistory(snapshot, 0), {
      axis: 'events',
      window: null,
      pixels: 100,
    });
    assert.equal(marks.filter((mark) => mark.kind === 'snapshot').length, 1);
  });
});
