import assert from 'node:assert/strict';
import { setImmediate as turn } from 'node:timers/promises';
import type { BandDetail } from '../../../src/protocol/bandData.js';
import { workerHandlers } from '../../../src/worker/handlers.js';
import { SnapshotStore } from '../../../src/worker/snapshotStore.js';
import { WorkspaceFiles } from '../../../src/worker/workspaceFiles.js';
import type { Host } from '../../../webview/model/host.js';
import { BandSession } from '../../../webview/layer/bandSession.js';
import { Store } from '../../../webview/model/store.js';
import { INITIAL, type ViewState } from '../../../webview/model/viewState.js';
import { eventually } from '../../support/eventually.js';
import { readingHere } from '../../support/readingHere.js';
import { exampleFolder } from '../../support/workspaces.js';

const path = `${exampleFolder()}/snapshots/step_0005.pickle`;

describe('what is asked about the series under the pointer', () => {
  it('keeps the answer about a series to which the pointer came back, when another comes late', async () => {
    const reading = readingHere();
    const worker = workerHandlers(new SnapshotStore(reading), reading, new WorkspaceFiles(), () => undefined);
    const { signal } = new AbortController();
    await worker.load({ path }, signal);
    /** Answers go out once this one has come: the slow way to the page. */
    let way = Promise.resolve();
    const told: BandDetail[] = [];
    const call = async (method: string, params: never, aborted: AbortSignal): Promise<unknown> => {
      assert.equal(method, 'bandDetail');
      const answer = await worker.bandDetail(params, aborted);
      await way;
      told.push(answer);
      return answer;
    };
    const store = new Store<ViewState>({ ...INITIAL, selection: { path, device: 0 } });
    void new BandSession(store, { call } as unknown as Pick<Host, 'call'>);
    const at = (series: number) => ({ series, row: null, event: 2000 });
    store.update({ pointed: at(0) });
    await eventually(() => {
      assert.equal(store.get().looked?.series, 0);
    });
    let open = (): void => undefined;
    way = new Promise((resolve) => {
      open = resolve;
    });
    store.update({ pointed: at(1) });
    store.update({ pointed: at(0) });
    open();
    await eventually(() => {
      assert.equal(told.length, 3);
    });
    await turn();
    assert.equal(told[1].series, 1);
    assert.equal(store.get().looked?.series, 0);
  });
});
