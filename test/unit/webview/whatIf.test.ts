import assert from 'node:assert/strict';
import type { TimelineWindow } from '../../../src/protocol/timelineData.js';
import type { ReservedAnswer, ReservedQuery, WhatIfAnswer } from '../../../src/protocol/whatIfData.js';
import { Store } from '../../../webview/model/store.js';
import { INITIAL, OF_SNAPSHOT, type ViewState } from '../../../webview/model/viewState.js';
import { whatIfRows } from '../../../webview/whatIf/whatIfRows.js';
import { createQuestions, type Questions } from '../../../webview/model/questions.js';
import { eventually } from '../../support/eventually.js';

const SELECTION = { path: '/runs/step_1.pickle', device: 0 };
const SETTING = 'expandable_segments:True';

const curveOf = (path: string): TimelineWindow => ({
  ...{ path, device: 0, axis: 'events', extent: { from: 0, to: 9 }, window: { from: 0, to: 9 } },
  ...{ x: Float64Array.of(0), live: Float64Array.of(1), reserved: null, event: Uint32Array.of(0) },
  ...{ peak: { x: 0, event: 0, liveBytes: 1 }, marks: [], startUs: null, events: 10, hasAllocations: true },
  ...{ capacityBytes: 100, failed: null },
});

const SAID = { problem: null, summary: '2 allocations and 1 segments replayed, all as recorded.', notes: [] };
const outcome = {
  ...{
    change: SETTING,
    name: SETTING,
    assignment: `PYTORCH_CUDA_ALLOC_CONF=${SETTING}`,
    reservedPeakBytes: 70,
    peakEvent: 3,
  },
  ...{ reservedEndBytes: 60, allocatedAtPeakBytes: 50, idleAtPeakBytes: 0, fits: true, shortBytes: 0, leftBytes: 30 },
  ...{ failedEvent: null, isEstimate: true, insteadOfBytes: 90, smallestCapacityBytes: null },
};
const recorded = {
  ...{ reservedPeakBytes: 90, reservedEndBytes: 80, olderBytes: 1, capacityBytes: 100, failure: null },
  ...{ fits: false, shortBytes: 5, leftBytes: 10, smallestCapacityBytes: null, end: null },
};

describe('what other settings would reserve', () => {
  /** Calls of the page, and whether each is cancelled. */
  let calls: { method: string; params: unknown; signal: AbortSignal }[];
  let answers: boolean;

  function begin(): { store: Store<ViewState>; questions: Questions } {
    calls = [];
    answers = true;
    const store = new Store<ViewState>({ ...INITIAL, selection: SELECTION, curve: curveOf(SELECTION.path) });
    const call = (method: string, params: unknown, signal: AbortSignal): Promise<unknown> => {
      calls.push({ method, params, signal });
      if (!answers) return new Promise(() => undefined);
      const { path, device, change } = params as ReservedQuery;
      const line = { axis: 'events', x: Float64Array.of(0), values: Float64Array.of(70), end: 9 };
      const known: Record<string, () => unknown> = {
        whatIf: (): WhatIfAnswer => ({ path, device, ...SAID, recorded, outcomes: [outcome] }),
        reservedWith: (): ReservedAnswer => ({ ...line, axis: 'events', path, device, change, name: change }),
      };
      return Promise.resolve(known[method]());
    };
    const questions = createQuestions(store, { call: call as never });
    store.update({ plotWidth: 100 });
    return { store, questions };
  }
  const asked = (method: string): unknown[] => calls.filter((one) => one.method === method).map(({ params }) => params);

  it('is requested once the tab shows, with the capacity of the device', async () => {
    const { store, questions } = begin();
    assert.deepEqual(calls, []);
    store.update({ pane: 'whatIf' });
    await eventually(() => assert.notEqual(questions.whatIf.answer, null));
    store.update({ pane: 'lines' });
    store.update({ pane: 'whatIf' });
    assert.deepEqual(asked('whatIf'), [{ ...SELECTION, capacity: 100 }]);
  });

  it('is abandoned when the tab is left, and requested again', () => {
    const { store } = begin();
    answers = false;
    store.update({ pane: 'whatIf' });
    store.update({ pane: 'lines' });
    assert.equal(calls[0].signal.aborted, true);
    store.update({ pane: 'whatIf' });
    assert.equal(asked('whatIf').length, 2);
  });

  it('has a curve for the chosen setting until none is chosen, neither its tab nor the map shows, or another snapshot shows', async () => {
    const { store } = begin();
    store.update({ pane: 'whatIf' });
    const drawn = (setting: string | null): Promise<void> =>
      eventually(() => assert.equal(store.get().reservedWith?.change ?? null, setting));
    store.update({ change: SETTING });
    await drawn(SETTING);
    store.update({ change: null });
    await drawn(null);
    store.update({ change: SETTING });
    await drawn(SETTING);
    store.update({ pane: 'map' });
    await drawn(SETTING);
    store.update({ pane: 'lines' });
    await drawn(null);
    store.update({ pane: 'whatIf' });
    await drawn(SETTING);
    const path = '/runs/step_2.pickle';
    store.update({ ...OF_SNAPSHOT, selection: { path, device: 0 }, curve: curveOf(path) });
    await drawn(null);
  });

  it('is a row each after the recorded settings; what does not fit leaves nothing', () => {
    const rowsOf = (failure: { event: number; isReproduced: boolean } | null, fits: boolean) =>
      whatIfRows({
        ...{ ...SELECTION, ...SAID },
        ...{ recorded: { ...recorded, failure }, outcomes: [{ ...outcome, fits }] },
      });
    const own = { change: null, reservedPeakBytes: 90, savedBytes: null, reservedEndBytes: 80, isEstimate: false };
    const change = { id: SETTING, name: SETTING };
    const other = { change, reservedPeakBytes: 70, savedBytes: 20, reservedEndBytes: 60, isEstimate: true };
    assert.deepEqual(rowsOf(null, true), [
      { ...own, leftBytes: 10 },
      { ...other, leftBytes: 30 },
    ]);
    assert.deepEqual(rowsOf({ event: 8, isReproduced: true }, false), [
      { ...own, leftBytes: null },
      { ...other, leftBytes: null },
    ]);
  });
});
