import assert from 'node:assert/strict';
import { StackInterner } from '../../../src/core/model/stackInterner.js';
import { seededRandom } from '../../support/seededRandom.js';

const ID_BITS = 0x0fffffff;

/** One step of the interner's hash. */
function step(hash: number, id: number): number {
  const mixed = Math.imul(hash ^ id, 0x9e3779b1);
  return mixed ^ (mixed >>> 15);
}

describe('StackInterner', () => {
  it('knows stacks by all of their frames, whatever the bits above the ids', () => {
    const interner = new StackInterner();
    const random = seededRandom(1);
    const ids = new Map<string, number>();
    for (let i = 0; i < 20_000; i++) {
      const frames = Array.from({ length: 1 + random(4) }, () => random(12));
      const words = Int32Array.from(frames, (frame) => frame | (random(16) << 28));
      const id = interner.intern(words, 0, words.length, ID_BITS);
      const known = ids.get(String(frames));
      if (known === undefined) ids.set(String(frames), id);
      else assert.equal(id, known);
    }
    assert.equal(new Set(ids.values()).size, ids.size);
    const { offset, frames } = interner.take();
    for (const [text, id] of ids) assert.equal(String(frames.subarray(offset[id], offset[id + 1])), text);
  });

  it('distinguishes stacks whose hashes collide', () => {
    const seed = 12_345;
    const interner = new StackInterner(seed);
    // The second frame undoes the difference that the first one makes.
    const first = step(seed ^ 2, 0) ^ 1;
    const stacks: [number, number][] = [];
    for (let a = 0; stacks.length < 200; a++) {
      const b = step(seed ^ 2, a) ^ first;
      if (b >= 0 && b <= ID_BITS) stacks.push([a, b]);
    }
    assert.equal(new Set(stacks.map(([a, b]) => step(step(seed ^ 2, a), b))).size, 1);
    const intern = ([a, b]: [number, number]): number => interner.intern(Uint32Array.of(a, b), 0, 2, ID_BITS);
    const ids = stacks.map(intern);
    assert.equal(new Set(ids).size, stacks.length);
    assert.deepEqual(stacks.map(intern), ids);
    // Another seed, which is what every interner has, and nothing of this is left.
    const other = new Set(stacks.map(([a, b]) => step(step(54_321 ^ 2, a), b)));
    assert.ok(other.size > 190);
  });
});
