import assert from 'node:assert/strict';
import { configurationsText } from '../../../src/core/present/fixText.js';
import { configurationsOf } from '../../../src/core/report/compare/buildCompare.js';

describe('A comparison of two configurations', () => {
  it('names both configurations', () => {
    const configurations = configurationsOf('/out/xl_ctx128_full.pickle', '/out/xl_ctx256_full.pickle');
    assert.ok(configurations !== null);
    assert.equal(
      configurationsText(configurations),
      'This compares two configurations, ctx128 and ctx256, not two moments of one run.',
    );
    const others = configurationsOf('/a/mem_fp32_128.pkl', '/a/mem_bf16_512.pkl');
    assert.deepEqual(others, { a: 'fp32 128', b: 'bf16 512' });
  });

  it('is none of two steps, nor of a program before and after a fix', () => {
    for (const [a, b] of [
      ['/out/step_10.pickle', '/out/step_20.pickle'],
      ['/out/snapshot_1.pickle', '/out/snapshot_2.pickle'],
      ['/out/before.pickle', '/out/after.pickle'],
      ['/before/step_10.pickle', '/after/step_10.pickle'],
    ]) {
      assert.equal(configurationsOf(a, b), null, `${a} ${b}`);
    }
  });
});
