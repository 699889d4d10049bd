import assert from 'node:assert/strict';
import { INITIAL, persisted, persistedChanged, restored, type ViewState } from '../../../webview/model/viewState.js';

const used: ViewState = {
  ...INITIAL,
  request: 3,
  selection: { path: '/runs/step_10.pickle', device: 1 },
  highlight: { file: 'train.py', line: 26 },
  axis: 'events',
  range: { from: 10, to: 20.5 },
  pin: { event: 12, axis: 'events', x: 12 },
  tabled: 'calls',
  split: 0.3,
  pane: 'stacks',
  mapSort: 'liveBytes',
  flame: { sort: 'self', folded: false, measure: 'mean', focus: [3, 0] },
  sort: 'blocks',
  filter: 'neck',
  view: 'compare',
  compare: {
    pair: { a: '/runs/step_1.pickle', b: '/runs/step_2.pickle' },
    device: 1,
    whole: true,
    axis: 'step',
    others: [{ path: '/other/step_1.pickle', device: 0, whole: true }],
    pane: 'flame',
    sort: 'allocated',
    width: 'after',
    folded: false,
  },
};

describe('the state that outlives a reload', () => {
  it('comes back as it was, without data', () => {
    const kept: unknown = JSON.parse(JSON.stringify(persisted({ ...used, curveError: 'no', curveLoading: true })));
    assert.deepEqual(restored(kept), used);
  });

  it('begins again where there is none, or where it is a different version', () => {
    for (const kept of [undefined, null, 'x', 7, [], {}, { ...persisted(used), version: 1 }]) {
      assert.deepEqual(restored(kept), INITIAL);
    }
  });

  it('leaves out every part that has not the shape it should have', () => {
    const wrong: Record<string, unknown[]> = {
      request: [-1, 1.5, '1', null],
      selection: [{ path: 7, device: 0 }, { path: '/a', device: -2 }, 'x'],
      highlight: [{ file: 'a.py' }, { file: 'a.py', line: 1.5 }],
      axis: ['steps', null],
      range: [{ from: 2, to: 1 }, { from: 0, to: null }, { from: 'a', to: 'b' }, {}],
      pin: [
        { event: -2, axis: 'time', x: 0 },
        { event: 1, x: 0 },
        { event: 1, axis: 'time', x: null },
      ],
      tabled: ['yes', 1],
      split: [0, 1, '0.5', null],
      pane: ['list', 2],
      mapSort: ['bytes', 1],
      flame: [null, 7, { sort: 'size', folded: 1, measure: 'all', focus: [-1] }, { focus: [0.5] }],
      sort: ['size'],
      filter: [7],
    };
    for (const [part, values] of Object.entries(wrong)) {
      for (const value of values) {
        const expected = { ...used, [part]: INITIAL[part as keyof ViewState] };
        assert.deepEqual(
          restored({ ...persisted(used), [part]: value }),
          expected,
          `${part}: ${JSON.stringify(value)}`,
        );
      }
    }
  });

  it('is worth keeping only when a part of it changed', () => {
    assert.equal(persistedChanged({ ...used, curveLoading: true }, used), false);
    assert.equal(persistedChanged({ ...used, filter: 'head' }, used), true);
  });
});
