import assert from 'node:assert/strict';
import {
  assignmentWith,
  DEFAULT_SETTINGS,
  roundedSize,
  segmentBytes,
  withSettings,
} from '../../../src/core/allocator/settings.js';

const MIB = 1 << 20;
const GIB = 2 ** 30;
const of = (text: string) => withSettings(DEFAULT_SETTINGS, text);

describe('The settings of PyTorch’s allocator', () => {
  it('are read in the syntax of PYTORCH_CUDA_ALLOC_CONF', () => {
    assert.deepEqual(of(''), DEFAULT_SETTINGS);
    assert.deepEqual(
      of('expandable_segments:True, max_split_size_mb:128,garbage_collection_threshold:0.8,backend:native'),
      { ...DEFAULT_SETTINGS, isExpandable: true, maxSplitBytes: 128 * MIB, collectionShare: 0.8 },
    );
    assert.deepEqual(of('max_non_split_rounding_mb:64,large_segment_size_mb:12'), {
      ...DEFAULT_SETTINGS,
      maxRoundingBytes: 64 * MIB,
      largeSegmentBytes: 12 * MIB,
    });
  });

  it('have divisions for all sizes, or by power of two: the first also holds for smaller sizes', () => {
    assert.deepEqual(of('roundup_power2_divisions:4').divisions, Array<number>(16).fill(4));
    assert.deepEqual(
      of('roundup_power2_divisions:[256:1,512:2,1024:4,>:8]').divisions,
      [1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 8, 8, 8, 8, 8, 8],
    );
  });

  it('are refused with a sentence if they are unknown, or out of PyTorch’s range', () => {
    for (const [text, sentence] of [
      ['expandable_segments:yes', /^expandable_segments takes True or False, not 'yes'\.$/],
      ['max_split_size_mb:19', /at least 20, not '19'/],
      ['garbage_collection_threshold:1', /between 0 and 1, not '1'/],
      ['roundup_power2_divisions:3', /a power of two/],
      ['roundup_power2_divisions:[3:2]', /a power of two/],
      ['max_split_size:128', /^'max_split_size:128' is no setting/],
      ['128', /^'128' is no setting/],
    ] as const)
      assert.throws(() => of(text), { name: 'RangeError', message: sentence });
  });

  it('round a request to 512 bytes, or to its part of a power of two', () => {
    const sizes = [0, 1, 512, 513, MIB + 1];
    assert.deepEqual(
      sizes.map((size) => roundedSize(size, DEFAULT_SETTINGS)),
      [512, 512, 512, 1024, MIB + 512],
    );
    const quarters = of('roundup_power2_divisions:4');
    assert.deepEqual(
      [1200, 2048, 2049, 5 * MIB, 5 * MIB + 1, 8 * MIB, 33 * GIB].map((size) => roundedSize(size, quarters)),
      [1536, 2048, 2560, 5 * MIB, 6 * MIB, 8 * MIB, 40 * GIB],
    );
  });

  it('decide the size of a segment', () => {
    const sizes = [512, MIB, MIB + 512, 10 * MIB - 512, 10 * MIB, 11 * MIB, 12 * MIB + 512];
    assert.deepEqual(
      sizes.map((size) => segmentBytes(size, DEFAULT_SETTINGS) / MIB),
      [2, 2, 20, 20, 10, 12, 14],
    );
    assert.equal(segmentBytes(2 * MIB, of('large_segment_size_mb:12')), 12 * MIB);
  });

  it('keep the others of the recorded variable when one is set', () => {
    const setting = 'expandable_segments:True';
    assert.equal(assignmentWith(null, setting), 'PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True');
    const recorded = { PYTORCH_ALLOC_CONF: 'expandable_segments:False, max_split_size_mb:128' };
    assert.equal(
      assignmentWith(recorded, setting),
      'PYTORCH_ALLOC_CONF=max_split_size_mb:128,expandable_segments:True',
    );
    // A shell would take the last part for a redirection.
    assert.equal(
      assignmentWith({ PYTORCH_CUDA_ALLOC_CONF: 'roundup_power2_divisions:[256:1,>:4]' }, setting),
      'PYTORCH_CUDA_ALLOC_CONF="roundup_power2_divisions:[256:1,>:4],expandable_segments:True"',
    );
  });
});
