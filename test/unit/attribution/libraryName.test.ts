import assert from 'node:assert/strict';
import { libraryName } from '../../../src/core/attribution/libraryName.js';
import type { DigestFrame } from '../../../src/core/model/digestFrame.js';

const TORCH = '/venv/lib/python3.11/site-packages/torch';

function python(place: string, name: string, line: number): DigestFrame {
  return { file: `${TORCH}/${place}`, line, function: name };
}

/** A frame of a profiler: an operator, without a file. */
function operator(name: string): DigestFrame {
  return { file: '', line: -1, function: name };
}

describe('Memory that no line of the user allocates', () => {
  it('is named by the function of FSDP2 behind its helpers, in the backward pass', () => {
    // As PyTorch 2.13 records it under fully_shard.
    const frames = [
      python('distributed/fsdp/_fully_shard/_fsdp_collectives.py', 'allocate', 59),
      python('distributed/fsdp/_fully_shard/_fsdp_collectives.py', 'foreach_reduce', 597),
      python('utils/_contextlib.py', 'decorate_context', 124),
      python('distributed/fsdp/_fully_shard/_fsdp_param_group.py', 'post_backward', 688),
      python('distributed/fsdp/_fully_shard/_fsdp_common.py', 'wrapper', 30),
      python('autograd/function.py', 'apply', 325),
    ];
    const name = 'torch/distributed/fsdp/_fully_shard/_fsdp_collectives.py:597 (foreach_reduce)';
    assert.equal(libraryName(frames), name);
    const parameter = [
      python('distributed/fsdp/_fully_shard/_fsdp_param.py', '<listcomp>', 626),
      python('distributed/fsdp/_fully_shard/_fsdp_param.py', 'init_all_gather_outputs', 625),
    ];
    assert.equal(
      libraryName([...parameter, ...frames]),
      'torch/distributed/fsdp/_fully_shard/_fsdp_param.py:625 (init_all_gather_outputs)',
    );
  });

  it('is named by what C++ frames show, if there are any', () => {
    const native = { file: 'Functions.cpp', line: 9, function: 'torch::autograd::generated::DivBackward0::apply(…)' };
    assert.equal(libraryName([native, python('autograd/function.py', 'apply', 325)]), 'DivBackward0');
  });

  it('is named by the operator that a profile without stacks has outermost, or the node of autograd', () => {
    const inner = [operator('aten::empty'), operator('aten::convolution'), operator('aten::conv2d')];
    const scope = { file: '<record_function>', line: -1, function: 'forward' };
    assert.equal(libraryName([...inner, scope]), 'aten::conv2d');
    const node = operator('autograd::engine::evaluate_function: ConvolutionBackward0');
    assert.equal(libraryName([...inner, node]), 'ConvolutionBackward0');
    assert.equal(libraryName([scope]), null);
  });
});
