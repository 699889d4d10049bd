import assert from 'node:assert/strict';
import { readable } from '../../support/columns.js';
import { pickle, type Picklable } from '../../support/plainPickle.js';
import { readBytes } from '../../support/snapshots.js';

interface Frame {
  [key: string]: Picklable;
}

function frame(name: string, filename: string, line: number | bigint, more: Frame = {}): Frame {
  return { name, filename, line, ...more };
}

/** @returns the one stack of a snapshot whose only block was allocated there, and the number of distinct stacks */
async function read(...stacks: Frame[][]): Promise<string[]> {
  const blocks = stacks.map((frames, i) => ({
    address: 4096 + i * 512,
    size: 512,
    requested_size: 512,
    state: 'active_allocated',
    frames,
  }));
  const segment = { device: 0, address: 4096, total_size: 512 * stacks.length, stream: 0, blocks };
  const snapshot = await readBytes(pickle({ segments: [segment], device_traces: [[]] }));
  return readable(snapshot).stacks.map(([frames]) =>
    frames.map(([file, line, name]) => `${name}|${file}|${line}`).join(' '),
  );
}

const PY_A = frame('forward', '/w/model.py', 41);
const PY_B = frame('<module>', '/w/main.py', 9);
const C_A = frame('at::empty', 'Empty.cpp', 12);
const C_EVAL = frame('_PyEval_EvalFrameDefault', '??', 0);
const C_ROOT = frame('_start', '??', 0);

describe('Frames', () => {
  it('of a stack that Python 3.11 got out of order are split by kind, each in its order', async () => {
    assert.deepEqual(await read([C_A, PY_A, C_EVAL, C_ROOT, PY_B]), [
      'at::empty|Empty.cpp|12 _PyEval_EvalFrameDefault|??|-1 _start|??|-1 forward|/w/model.py|41 <module>|/w/main.py|9',
    ]);
  });

  it('of a whole mixed stack stay as they were recorded', async () => {
    assert.deepEqual(await read([C_A, PY_A, C_EVAL, PY_B, C_ROOT]), [
      'at::empty|Empty.cpp|12 forward|/w/model.py|41 _PyEval_EvalFrameDefault|??|-1 <module>|/w/main.py|9 _start|??|-1',
    ]);
  });

  it('are the same stack if only the mixing differed', async () => {
    assert.equal((await read([C_A, PY_A, C_ROOT, PY_B], [C_A, C_ROOT, PY_A, PY_B])).length, 1);
  });

  it('have no line where PyTorch wrote -1 as an unsigned number, 0, or an offset in a library', async () => {
    assert.deepEqual(
      await read([
        frame('f', '/w/a.py', 18446744073709551615n),
        frame('g', '/w/a.py', -1),
        frame('h', '/usr/lib/libtorch_cpu.so', 105730716),
        frame('main', '/usr/bin/python3.11', 4242),
        frame('k', 'Foo.cpp', 0),
        frame('_start', '??', 0),
      ]),
      ['f|/w/a.py|-1 g|/w/a.py|-1 h|/usr/lib/libtorch_cpu.so|-1 main|/usr/bin/python3.11|-1 k|Foo.cpp|-1 _start|??|-1'],
    );
  });

  it('keep the names of Windows, notebooks and generated code to the letter', async () => {
    const names = [
      'C:\\Users\\me\\train\\model.py',
      '/tmp/ipykernel_1234/567.py',
      '<ipython-input-3-0123abcd>',
      '<eval_with_key>.5',
      '/tmp/torchinductor_me/ab/cabcdef.py',
      '/w/subclass_codegen.py:codegen(compiled_function_forward)',
      '<frozen importlib._bootstrap>',
      '<script>alert(1)</script>.py',
    ];
    const [stack] = await read(names.map((name) => frame('f', name, 3)));
    assert.equal(stack, names.map((name) => `f|${name}|3`).join(' '));
  });

  it('of generated code are followed by the frames of the model that they were made from', async () => {
    const generated = frame('forward', 'fx_generated__abc.py', 7, {
      fx_node_op: 'call_function',
      fx_node_target: null,
      fx_original_trace:
        '  File "/w/main.py", line 9, in <module>\n    y = model(x)\n  File "/w/model.py", line 41, in forward\n    return relu(x)\n',
    });
    assert.deepEqual(await read([generated, PY_B]), [
      'forward|fx_generated__abc.py|7 forward|/w/model.py|41 <module>|/w/main.py|9 <module>|/w/main.py|9',
    ]);
  });
});
