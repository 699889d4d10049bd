import assert from 'node:assert/strict';
import { boundedNames } from '../../../src/core/model/boundedNames.js';
import { FrameInterner } from '../../../src/core/model/stackInterner.js';
import { StringPool } from '../../../src/core/model/stringPool.js';

const FRAMES = 100_000;
const MAX_CHARACTERS = 1 << 25;

describe('Names of frames', () => {
  const strings = new StringPool();
  const interner = new FrameInterner();
  const long = strings.internText(`é${'x'.repeat(10_000)}_end.py`);
  const short = strings.internText('forward');
  for (let line = 1; line <= FRAMES; line++) interner.intern(short, long, line);
  const frames = interner.take();

  it('that fit are as they were', () => {
    assert.equal(boundedNames(frames, strings, 2 ** 31), frames);
  });

  it('that one text makes too long for all frames together keep their beginning, their end and their lines', () => {
    const bounded = boundedNames(frames, strings, MAX_CHARACTERS);
    assert.deepEqual([bounded.count, bounded.line], [frames.count, frames.line]);
    assert.deepEqual([...new Set(bounded.name)], [short]);
    const [file, ...others] = new Set(bounded.file);
    assert.deepEqual(others, []);
    assert.match(strings.text(file), /^éx+…x+_end\.py$/);
    assert.ok(FRAMES * (strings.lengthOf(file) + strings.lengthOf(short)) <= MAX_CHARACTERS);
  });

  it('are the same one for all texts beyond the maximum', () => {
    const pool = new StringPool();
    const ids = Array.from({ length: 300_000 }, (_, i) => pool.internText(`name${i}`));
    assert.equal(pool.count, 2 ** 18);
    assert.equal(pool.text(ids[0]), 'name0');
    assert.equal(pool.internText('name0'), ids[0]);
    assert.equal(pool.text(ids[299_999]), '<smaller stacks>');
    assert.equal(pool.internText('<smaller stacks>'), ids[299_999]);
  });
});
