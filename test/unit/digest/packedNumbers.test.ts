import assert from 'node:assert/strict';
import { eachTriple, packNumbers, type PackedNumbers } from '../../../src/core/digest/packedNumbers.js';

function unpacked(packed: PackedNumbers): number[] {
  const numbers: number[] = [];
  eachTriple(packed, (...triple) => numbers.push(...triple));
  return numbers;
}

describe('Packed numbers', () => {
  it('are the same numbers, up to the largest whole one', () => {
    const numbers = [0, 1, 127, 128, 16_383, 16_384, 2 ** 31, 2 ** 32 + 1, Number.MAX_SAFE_INTEGER];
    const packed = packNumbers(numbers);
    assert.equal(packed.length, 1 + 1 + 1 + 2 + 2 + 3 + 5 + 5 + 8);
    assert.deepEqual(unpacked(packed), numbers);
    assert.deepEqual(unpacked(packNumbers([])), []);
  });

  it('are a list if one of them is not whole', () => {
    for (const numbers of [
      [1, 0.5, 3],
      [1, 2, 2 ** 60],
      [-1, 2, 3],
    ]) {
      assert.deepEqual(packNumbers(numbers), numbers);
      assert.deepEqual(unpacked(packNumbers(numbers)), numbers);
    }
  });
});
