import assert from 'node:assert/strict';
import { frameKind } from '../../../src/core/attribution/frameKind.js';
import { recordedKind, type RecordedKind } from '../../../src/core/model/recordedFile.js';

const FILES: Record<RecordedKind, string[]> = {
  user: [
    '/home/ml/detector/train.py',
    'train.py',
    'C:\\research\\DeComFL\\cezo_fl\\client.py',
    'C:/research/proj/lib/model.py',
    '/home/ml/lib/model.py',
    '/home/ml/my_site-packages/model.py',
    '/home/ml/torchlib/nn/mine.py',
    '/home/ml/python/lib/mine.py',
    '/home/ml/kernels/fused.pyx',
  ],
  interactive: [
    '/tmp/ipykernel_813/3049.py',
    'C:\\Users\\me\\AppData\\Local\\Temp\\ipykernel_813\\3049.py',
    '<ipython-input-3-a1b2c3>',
    'vscode-notebook-cell:/home/ml/train.ipynb#W2sZmlsZQ%3D%3D',
    '<stdin>',
  ],
  library: [
    '/opt/conda/lib/python3.11/site-packages/torch/nn/modules/linear.py',
    '/usr/lib/python3/dist-packages/numpy/core.py',
    '/usr/local/lib/python3.12/contextlib.py',
    '/opt/python/lib/python3.13t/threading.py',
    '/root/.local/share/uv/python/cpython-3.13.14-linux-x86_64-gnu/lib/python3.13/contextlib.py',
    'C:\\Users\\me\\AppData\\Local\\Programs\\Python\\Python311\\Lib\\runpy.py',
    'C:\\Users\\me\\miniconda3\\envs\\train\\lib\\threading.py',
    'D:\\Dev\\proj\\.venv\\Lib\\site-packages\\torch\\_tensor.py',
    '/opt/pytorch/torch/optim/adamw.py',
    '<frozen runpy>',
    '/home/ml/leakline_recorder/steps.py',
    '/opt/leakline/recorder/leakline/__main__.py',
  ],
  generated: [
    '<string>',
    '<eval_with_key>.5',
    '/tmp/torchinductor_ml/3u/c3uxhj5q2ablsqp5lrlrkd2ig2tub4do54ysdazmtvawnjje2knd.py',
    '/w/subclass_codegen.py:codegen(compiled_function_forward)',
    '/tmp/fx_generated__ab12.py',
  ],
  native: ['??', '', 'CUDACachingAllocator.cpp', '/usr/lib/libtorch_cuda.so', 'ceval.c'],
};

describe('The kind of a recorded file', () => {
  for (const [kind, files] of Object.entries(FILES)) {
    it(`is ${kind}`, () => {
      for (const file of files) assert.equal(recordedKind(file), kind, file);
    });
  }

  it('agrees with the kind of a frame on whose file it is', () => {
    for (const [kind, files] of Object.entries(FILES)) {
      for (const file of files) {
        assert.equal(frameKind(file) === 'user', kind === 'user' || kind === 'interactive', file);
      }
    }
  });
});
