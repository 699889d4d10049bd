import assert from 'node:assert/strict';
import { frameKind, type FrameKind } from '../../../src/core/attribution/frameKind.js';

const FILES: Record<FrameKind, string[]> = {
  user: [
    '/home/ml/detector/train.py',
    'C:\\Users\\me\\proj\\model.py',
    '/tmp/ipykernel_813/3049.py',
    '<ipython-input-3-a1b2c3>',
    '<stdin>',
    '/workspace/torchlib/nn/mine.py',
    '/home/ml/lib/model.py',
    'train.py',
  ],
  library: [
    '/opt/conda/lib/python3.11/site-packages/torch/nn/modules/linear.py',
    '/usr/lib/python3/dist-packages/numpy/core.py',
    '/opt/conda/lib/python3.11/contextlib.py',
    'C:\\Users\\me\\AppData\\Local\\Programs\\Python\\Python311\\Lib\\runpy.py',
    'C:\\venv\\Lib\\site-packages\\torch\\_tensor.py',
    '/opt/pytorch/torch/optim/adamw.py',
    '<frozen importlib._bootstrap>',
    '<string>',
    '<eval_with_key>.5',
    '/tmp/torchinductor_ml/ab/cabc.py',
    '/w/subclass_codegen.py:codegen(compiled_function_forward)',
    '/home/ml/leakline_recorder/steps.py',
    '/opt/leakline/recorder/leakline/__main__.py',
  ],
  native: ['??', 'CUDACachingAllocator.cpp', '/usr/lib/libtorch_cuda.so', 'ceval.c', ''],
};

describe('The kind of a frame', () => {
  for (const [kind, files] of Object.entries(FILES)) {
    it(`is ${kind} for ${files.length} files of that kind`, () => {
      for (const file of files) assert.equal(frameKind(file), kind, file);
    });
  }
});
