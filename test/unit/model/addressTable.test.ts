import assert from 'node:assert/strict';
import { AddressTable } from '../../../src/core/model/addressTable.js';
import { seededRandom } from '../../support/seededRandom.js';

describe('AddressTable', () => {
  it('answers as a Map does, over many insertions and deletions', () => {
    const random = seededRandom(3);
    const table = new AddressTable();
    const plain = new Map<string, number>();
    for (let round = 0; round < 50_000; round++) {
      const low = random(3000) * 512;
      const high = random(2) === 0 ? 0x7f2a : 0xff00_0000;
      const key = `${high}/${low}`;
      if (random(3) === 0) {
        assert.equal(table.delete(low, high), plain.get(key) ?? -1);
        plain.delete(key);
      } else {
        table.set(low, high, round);
        plain.set(key, round);
      }
      assert.equal(table.size, plain.size);
    }
    for (const [key, row] of plain) {
      const [high, low] = key.split('/').map(Number);
      assert.equal(table.get(low, high), row);
    }
    assert.deepEqual(
      [...table.rows()].sort((a, b) => a - b),
      [...plain.values()].sort((a, b) => a - b),
    );
  });
});
