import assert from 'node:assert/strict';
import type { DigestFrame } from '../../../src/core/model/digestFrame.js';
import { isMachinery, StackReader } from '../../../src/core/attribution/readableStack.js';

const frame = (file: string, name: string, line = 1): DigestFrame => ({ file, line, function: name });

const MACHINERY = [
  frame('??', 'torch::unwind::unwind()'),
  frame('??', 'torch::CapturedTraceback::gather(bool, bool, bool)'),
  frame('memory_snapshot.cpp', 'torch::cuda::(anonymous namespace)::gather_with_cpp()'),
  frame('??', '_PyEval_EvalFrameDefault'),
  frame('??', 'PyObject_CallFunctionObjArgs'),
  frame('??', '_PyMem_SetupAllocators'),
  frame('??', 'Py_RunMain'),
  frame('/build/Python-3.11.7/Python/ceval.c', 'do_call_core'),
  frame('/build/Python-3.11.7/./Include/internal/pycore_call.h', '_PyObject_VectorcallTstate'),
  frame('C:\\build\\Python-3.11.7\\Objects\\call.c', 'callmethod'),
  frame('./csu/../csu/libc-start.c', '__libc_start_main_impl'),
  frame('./nptl/pthread_create.c', 'start_thread'),
  frame('./clone3.S', '__clone3'),
  frame('??', '_start'),
];
const NATIVE = [
  frame('CUDACachingAllocator.cpp', 'c10::cuda::CUDACachingAllocator::Native::DeviceCachingAllocator::malloc(int)'),
  frame('??', 'at::detail::empty_strided_cuda(c10::ArrayRef<long>)'),
  frame('??', 'torch::autograd::PyNode::apply(std::vector<at::Tensor>&&)'),
  frame('python_torch_functions_2.cpp', 'torch::autograd::THPVariable_exp(_object*, _object*, _object*)'),
  frame('kernels/Objects.cu', 'copy_all_objects()'),
];
const PYTHON = [
  frame('/job/PyEval_helpers.py', '_PyEval_EvalFrameDefault'),
  frame('/opt/lib/python3.12/site-packages/torch/nn/modules/module.py', '_call_impl'),
  frame('<string>', '_start'),
  frame('/job/train.py', 'main'),
];

describe('A readable stack', () => {
  it('has the frames of Python in their order, wherever the C++ ones are', () => {
    const reader = new StackReader();
    const [innermost, ...outer] = PYTHON;
    for (const stack of [
      [...MACHINERY, ...NATIVE, ...PYTHON],
      [NATIVE[0], innermost, MACHINERY[3], ...outer, NATIVE[2], ...MACHINERY],
      PYTHON,
    ]) {
      assert.deepEqual(reader.read(stack), { frames: PYTHON, hidden: stack.length - PYTHON.length });
    }
  });

  it('without Python has the meaningful C++ frames, or all without one', () => {
    const reader = new StackReader();
    assert.deepEqual(reader.read([...MACHINERY, ...NATIVE]), { frames: NATIVE, hidden: MACHINERY.length });
    assert.deepEqual(reader.read(MACHINERY), { frames: MACHINERY, hidden: 0 });
    assert.deepEqual(reader.read([]), { frames: [], hidden: 0 });
  });

  it('takes only C++ frames for machinery, and no kernel', () => {
    assert.deepEqual(
      MACHINERY.filter((one) => !isMachinery(one)),
      [],
    );
    assert.deepEqual([...NATIVE, ...PYTHON].filter(isMachinery), []);
  });
});
