import assert from 'node:assert/strict';
import { RpcClient, RpcServer, type RpcMessage } from '../../../src/protocol/rpc.js';
import {
  askWorker,
  type TimelineApi,
  type TimelineEvents,
  type TimelineState,
} from '../../../src/protocol/timelineApi.js';
import { workerHandlers } from '../../../src/worker/handlers.js';
import { SnapshotStore } from '../../../src/worker/snapshotStore.js';
import { WorkspaceFiles } from '../../../src/worker/workspaceFiles.js';
import { TimelineSession } from '../../../webview/actions/session.js';
import { Store } from '../../../webview/model/store.js';
import { INITIAL, persisted, restored, type ViewState } from '../../../webview/model/viewState.js';
import { eventually } from '../../support/eventually.js';
import { readingHere } from '../../support/readingHere.js';
import { exampleFolder } from '../../support/workspaces.js';

const early = `${exampleFolder()}/snapshots/step_0005.pickle`;
const late = `${exampleFolder()}/snapshots/step_0040.pickle`;
const leak = { file: 'detector/pyramid.py', line: 16 };

/** The worker's own handlers over snapshots of the example, loaded once. */
async function loadWorker() {
  const reading = readingHere();
  const worker = workerHandlers(new SnapshotStore(reading), reading, new WorkspaceFiles(), () => undefined);
  const { signal } = new AbortController();
  await worker.setWorkspace(
    {
      files: ['detector/pyramid.py', 'detector/data.py', 'train.py'],
      rules: [],
      roots: [],
      texts: {},
      capacityBytes: null,
    },
    signal,
  );
  for (const path of [early, late]) await worker.load({ path }, signal);
  return worker;
}

const choice = (path: string) => ({
  path,
  label: path.split('/').at(-1) ?? '',
  run: 'run',
  devices: [0],
  step: null,
  kind: 'snapshot' as const,
});

describe('the session of a timeline', () => {
  let worker: Awaited<ReturnType<typeof loadWorker>>;
  let told: TimelineState;
  let opened: unknown[];
  let failure: string | null;
  let lost: boolean;

  before(async () => {
    worker = await loadWorker();
  });

  beforeEach(() => {
    told = {
      choices: [choice(early), choice(late)],
      request: 0,
      selected: null,
      highlight: null,
      compared: null,
      pane: null,
    };
    opened = [];
    failure = null;
    lost = false;
  });

  const sessions = new Map<Store<ViewState>, TimelineSession>();
  function begin(state: ViewState = INITIAL) {
    const store = new Store(state);
    const guard = (): void => {
      if (failure !== null) throw new Error(failure);
    };
    const server = new RpcServer<TimelineApi, TimelineEvents>(
      {
        ready: () => {
          guard();
          return told;
        },
        ...askWorker((name, params, signal) => {
          guard();
          return worker[name](params, signal);
        }),
        compareTable: (pair, signal) => worker.compareTable({ ...pair, ignored: [] }, signal),
        saveFile: () => ({ file: null }),
        copyText: () => null,
        applySetting: () => null,
        openSource: ({ file, line }) => {
          guard();
          opened.push({ file, line });
          return null;
        },
        fixLeak: () => null,
        run: () => null,
      },
      (message) => {
        if (!lost) client.receive(structuredClone(message));
      },
    );
    const client = new RpcClient<TimelineApi, TimelineEvents>((message: RpcMessage) => {
      if (!lost) void server.receive(structuredClone(message));
    });
    const session = new TimelineSession(store, { call: client.call.bind(client) });
    sessions.set(store, session);
    session.refresh();
    store.update({ plotWidth: 400 });
    return { store, session };
  }

  const settled = async (store: Store<ViewState>): Promise<ViewState> =>
    eventually(() => {
      const state = store.get();
      const isLoading = sessions.get(store)?.live.store.get().loading;
      if (state.choices === null || state.curveLoading || isLoading !== false || state.curve === null) {
        return Promise.reject(new Error('still loading'));
      }
      return Promise.resolve(state);
    });

  it('shows the newest snapshot completely, in few enough points, and the live memory at its end', async () => {
    const { store } = begin();
    const { curve, selection, range, live } = await settled(store);
    assert.deepEqual(selection, { path: late, device: 0 });
    assert.equal(range, null);
    assert.ok(curve !== null && curve.events > 9000);
    assert.equal(live?.event, curve.events - 1);
    assert.ok(curve.x.length <= 4 * 400 + 1, `${curve.x.length} points`);
    assert.equal(Math.max(...curve.live), curve.peak.liveBytes);
  });

  it('lists live memory at the peak; the parts add up', async () => {
    const { store, session } = begin();
    const { curve } = await settled(store);
    assert.ok(curve !== null);
    session.pin({ event: curve.peak.event, axis: curve.axis, x: curve.peak.x });
    const { live } = await settled(store);
    assert.ok(live !== null);
    const sum = [...live.lines, ...Object.values(live.buckets)].reduce((bytes, part) => bytes + part.bytes, 0);
    assert.equal(sum, curve.peak.liveBytes);
    assert.equal(live.liveBytes, curve.peak.liveBytes);
    assert.deepEqual([live.lines[0].file, live.lines[0].line], [leak.file, leak.line]);
    assert.deepEqual(opened, []);
  });

  it('opens the largest line on the second click on a point, and on one with a modifier', async () => {
    const { store, session } = begin();
    const { curve } = await settled(store);
    assert.ok(curve !== null);
    const pin = { event: curve.peak.event, axis: curve.axis, x: curve.peak.x };
    session.pin(pin);
    await settled(store);
    session.pin(pin);
    await settled(store);
    assert.deepEqual(opened, [leak]);
    session.pin({ ...pin, event: curve.events - 1 }, true);
    await settled(store);
    await eventually(() => {
      assert.deepEqual(opened, [leak, leak]);
    });
  });

  it('asks for the part that is zoomed to, and never for more than there is', async () => {
    const { store, session } = begin();
    const { curve: whole } = await settled(store);
    assert.ok(whole !== null);
    const { to } = whole.extent;
    session.setRange({ from: to / 2, to: to * 0.6 });
    const { curve, range } = await settled(store);
    assert.deepEqual(range, { from: to / 2, to: to * 0.6 });
    assert.deepEqual(curve?.window, range);
    session.setRange({ from: -to, to: 2 * to });
    assert.equal((await settled(store)).range, null);
  });

  it('keeps pin and part of the history when the axis changes', async () => {
    const { store, session } = begin();
    const { curve: byTime } = await settled(store);
    assert.ok(byTime !== null);
    const { to } = byTime.extent;
    session.pin({ event: byTime.peak.event, axis: 'time', x: byTime.peak.x });
    session.setRange({ from: to * 0.9, to });
    await settled(store);
    session.setAxis('events');
    const { curve, pin, range } = await settled(store);
    assert.equal(curve?.axis, 'events');
    assert.deepEqual(pin, { event: byTime.peak.event, axis: 'events', x: byTime.peak.event });
    assert.ok(range !== null && range.from <= pin.x && pin.x <= range.to);
    assert.ok(range.from > byTime.events * 0.7, 'it is not the whole history');
  });

  it('shows the whole history that was requested before the new axis is known', async () => {
    const { store, session } = begin();
    const { curve: byTime } = await settled(store);
    assert.ok(byTime !== null);
    const { to } = byTime.extent;
    session.setRange({ from: to * 0.9, to });
    await settled(store);
    session.setAxis('events');
    session.setRange(null);
    const { curve, range } = await settled(store);
    assert.deepEqual([curve?.axis, range], ['events', null]);
  });

  it('follows the user’s requests in the editor, and marks the line from which it was opened', async () => {
    const { store, session } = begin();
    await settled(store);
    told = { ...told, request: 1, selected: { path: early, device: 0 }, highlight: leak };
    session.receiveState(told);
    const { selection, highlight, curve, live } = await eventually(async () => {
      const state = await settled(store);
      assert.equal(state.live?.path, early);
      return state;
    });
    assert.deepEqual(selection, { path: early, device: 0 });
    assert.deepEqual(highlight, leak);
    assert.equal(live?.event, Number(curve?.events) - 1, 'the end is looked into');
  });

  it('retains its view when other snapshots change', async () => {
    const { store, session } = begin();
    await settled(store);
    store.update({ selected: { series: 0, row: null, event: 1 }, change: 'fused', mapOnly: '4096' });
    session.select({ path: early, device: 0 });
    const { selected, change, mapOnly } = store.get();
    assert.deepEqual([selected, change, mapOnly], [null, null, null]);
    await settled(store);
    session.receiveState({ ...told, choices: [choice(early)], selected: { path: late, device: 0 } });
    assert.deepEqual((await settled(store)).selection, { path: early, device: 0 });
  });

  it('turns to another snapshot when the one it shows is gone, and to none when all are', async () => {
    const { store, session } = begin();
    await settled(store);
    session.receiveState({ ...told, choices: [choice(early)] });
    assert.deepEqual((await settled(store)).selection, { path: early, device: 0 });
    session.receiveState({ ...told, choices: [] });
    const { selection, curve, pin, curveLoading } = store.get();
    assert.deepEqual([selection, curve, pin, curveLoading], [null, null, null, false]);
  });

  it('returns to its view once the snapshot is back, unless the user has moved on', async () => {
    const { store, session } = begin();
    const { curve } = await settled(store);
    assert.ok(curve !== null);
    session.pin({ event: curve.peak.event, axis: curve.axis, x: curve.peak.x });
    session.setRange({ from: 10, to: curve.extent.to / 2 });
    const before = await settled(store);
    session.receiveState({ ...told, choices: [] });
    const { selection, range, pin } = before;
    for (const request of [0, 1]) {
      session.receiveState({ ...told, choices: [choice(early)] });
      assert.deepEqual((await settled(store)).selection, { path: early, device: 0 });
      assert.deepEqual(session.awaited, { selection, range, pin });
      // To request what is awaited is no move.
      session.receiveState({ ...told, request, selected: request === 0 ? null : selection });
      const after = await settled(store);
      assert.deepEqual([after.selection, after.range, after.pin], [selection, range, pin]);
      assert.equal(session.awaited, null);
    }

    session.receiveState({ ...told, choices: [choice(early)] });
    await settled(store);
    session.setRange({ from: 10, to: 2000 });
    session.receiveState(told);
    assert.deepEqual((await settled(store)).selection, { path: early, device: 0 });
  });

  it('is where it was after a reload', async () => {
    const first = begin();
    await settled(first.store);
    told = { ...told, request: 1, selected: { path: late, device: 0 } };
    first.session.receiveState(told);
    first.session.select({ path: early, device: 0 });
    const { curve: earlyCurve } = await eventually(async () => {
      const state = await settled(first.store);
      assert.equal(state.curve?.path, early);
      return state;
    });
    assert.ok(earlyCurve !== null);
    const { peak, extent } = earlyCurve;
    first.session.pin({ event: peak.event, axis: 'time', x: peak.x });
    first.session.setRange({ from: extent.to * 0.3, to: extent.to * 0.9 });
    const before = await settled(first.store);

    told = { ...told, request: 0, selected: { path: late, device: 0 } };
    const again = begin(restored(JSON.parse(JSON.stringify(persisted(before)))));
    const after = await settled(again.store);
    assert.deepEqual(
      [after.selection, after.range, after.pin, after.live],
      [before.selection, before.range, before.pin, before.live],
    );
  });

  it('gives the reason for a missing curve, and shows it on request', async () => {
    const { store, session } = begin();
    await settled(store);
    failure = 'It changed while it was read.';
    session.setRange({ from: 10, to: 2000 });
    await settled(store);
    assert.equal(store.get().curveError, failure);
    failure = null;
    session.curve.retry();
    assert.equal((await settled(store)).curveError, null);
  });

  it('requests answers again that were lost while it was hidden', async () => {
    const { store, session } = begin();
    const { curve } = await settled(store);
    assert.ok(curve !== null);
    lost = true;
    session.pin({ event: curve.peak.event, axis: curve.axis, x: curve.peak.x });
    session.setRange({ from: 10, to: curve.extent.to / 2 });
    lost = false;
    session.refresh();
    const { curve: now, live } = await settled(store);
    assert.equal(now?.window.to, curve.extent.to / 2);
    assert.equal(live?.event, curve.peak.event);
  });

  it('reports a line that cannot be opened', async () => {
    const { store, session } = begin();
    await settled(store);
    failure = 'There is no such file.';
    session.openSource(leak);
    await eventually(() => {
      assert.match(store.get().openError ?? '', /There is no such file/);
    });
  });
});
