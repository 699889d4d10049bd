import assert from 'node:assert/strict';
import { configurationsText } from '../../../src/core/report/configurations.js';

describe('A comparison of two configurations', () => {
  it('says so, and which', () => {
    assert.equal(
      configurationsText('/out/xl_ctx128_full.pickle', '/out/xl_ctx256_full.pickle'),
      'This compares two configurations, ctx128 and ctx256, not two moments of one run.',
    );
    assert.match(configurationsText('/a/mem_fp32_128.pkl', '/a/mem_bf16_512.pkl') ?? '', /fp32 128 and bf16 512/);
  });

  it('is none of two steps, nor of a program before and after a fix', () => {
    for (const [a, b] of [
      ['/out/step_10.pickle', '/out/step_20.pickle'],
      ['/out/snapshot_1.pickle', '/out/snapshot_2.pickle'],
      ['/out/before.pickle', '/out/after.pickle'],
      ['/before/step_10.pickle', '/after/step_10.pickle'],
    ]) {
      assert.equal(configurationsText(a, b), null, `${a} ${b}`);
    }
  });
});
