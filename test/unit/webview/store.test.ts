import assert from 'node:assert/strict';
import { Store } from '../../../webview/model/store.js';

describe('A store', () => {
  it('tells a follower its parts at once, and then only if one of them changes', () => {
    const store = new Store({ a: 1, b: 1, c: 1 });
    const told: (readonly number[])[] = [];
    store.follow(
      ({ a, b }) => [a, b],
      (parts) => told.push(parts),
    );
    store.update({ c: 2 });
    store.update({ a: 2, c: 3 });
    store.update({ a: 2 });
    assert.deepEqual(told, [
      [1, 1],
      [2, 1],
    ]);
  });

  it('tells a follower that named no part before about the parts that it names now', () => {
    const store = new Store({ isOpen: false, a: 1 });
    const told: (readonly number[])[] = [];
    store.follow(
      ({ isOpen, a }) => (isOpen ? [a] : []),
      (parts) => told.push(parts),
    );
    store.update({ isOpen: true });
    assert.deepEqual(told, [[], [1]]);
  });
});
