/** Out-of-memory messages in what programs print: found at little cost, and marked on the line. */
import assert from 'node:assert/strict';
import type { MessageOrigin } from '../../../src/core/oom/sameFailure.js';
import type { OomExplanation } from '../../../src/core/oom/explanation.js';
import {
  argumentsOf,
  cellErrorText,
  exceptionText,
  hasFailure,
  RecentText,
} from '../../../src/extension/oom/programOutput.js';
import { askingSentences, askingShort } from '../../../src/core/present/failed.js';
import { messageMarks } from '../../../src/extension/results/askingMarks.js';
import { explained } from '../oom/explained.js';

const MESSAGE =
  'CUDA out of memory. Tried to allocate 2.00 GiB (GPU 0; 8.00 GiB total capacity; 7.00 GiB already allocated; ' +
  '512.00 MiB free; 7.25 GiB reserved in total by PyTorch)';
const FRAME = '  File "/srv/net.py", line 3, in forward\n    y = f(x)\n';
const FAILED = `Traceback (most recent call last):\n${FRAME}RuntimeError: ${MESSAGE}\n`;

describe('The output of a program', () => {
  it('is searched across its pieces, and each message is found once', () => {
    for (const size of [1, 3, 13, 100, FAILED.length]) {
      const recent = new RecentText();
      let found = 0;
      for (let at = 0; at < FAILED.length; at += size) if (recent.add(FAILED.slice(at, at + size))) found++;
      assert.equal(found, 1, String(size));
      assert.equal(recent.text, FAILED);
    }
  });

  it('is kept to its end only, however much is printed', () => {
    const recent = new RecentText();
    const piece = 'step 1 loss 0.5 memory 4.8 GiB\r\n'.repeat(128);
    for (let at = 0; at < 64e6; at += piece.length) assert.equal(recent.add(piece), false);
    assert.ok(recent.text.length < 1 << 20, String(recent.text.length));
    assert.equal(recent.add(FAILED), true);
    assert.equal(explained(recent.text)[0].asked?.line, 3);
  });

  it('of a cell and of a debugger has traceback and message', () => {
    const stack = `\u001b[31mOutOfMemoryError\u001b[39m Traceback (most recent call last)\nFile /srv/net.py:3, in forward(x)\n`;
    const cell = cellErrorText(JSON.stringify({ name: 'OutOfMemoryError', message: MESSAGE, stack }));
    const answer = {
      type: 'response',
      command: 'exceptionInfo',
      body: { exceptionId: 'torch.OutOfMemoryError', description: MESSAGE, details: { stackTrace: FRAME } },
    };
    for (const text of [cell, exceptionText(answer) ?? '']) {
      assert.ok(hasFailure(text));
      assert.deepEqual(
        explained(text).map(({ asked }) => asked?.line),
        [3],
      );
    }
    const raised = `${FRAME.replace('f(x)', `raise OutOfMemoryError("${MESSAGE}")`)}${FRAME.replace('line 3', 'line 9')}RuntimeError: ${MESSAGE}\n`;
    const deep = { ...answer, body: { ...answer.body, details: { stackTrace: raised } } };
    assert.deepEqual(
      explained(exceptionText(deep) ?? '').map(({ asked }) => asked?.line),
      [3],
    );
    assert.equal(exceptionText({ ...answer, command: 'stackTrace' }), null);
    assert.equal(exceptionText({ type: 'event' }), null);
    assert.equal(cellErrorText('[') + cellErrorText('null').trim(), ':');
  });
});

describe('The command line of a program', () => {
  it('gives its arguments where it needs no shell', () => {
    assert.deepEqual(argumentsOf('python3 -u src/train.py --lr 3e-4 data/x', 'src/train.py'), [
      '--lr',
      '3e-4',
      'data/x',
    ]);
    assert.deepEqual(argumentsOf('/venv/bin/python3.12 ./train.py', 'src/train.py'), []);
    assert.deepEqual(argumentsOf('C:\\py\\python.exe C:\\w\\train.py 1', 'train.py'), ['1']);
    for (const other of [
      'python other.py',
      'torchrun train.py',
      'python train.py "$X"',
      'python train.py; rm x',
      'python',
    ])
      assert.equal(argumentsOf(other, 'train.py'), null, other);
  });
});

type Recorded = Parameters<typeof messageMarks>[1][number];

describe('A line that an out-of-memory message names', () => {
  const [full] = explained(FAILED, ['net.py']);
  const marksOf = (explanations: readonly OomExplanation[], recorded: Parameters<typeof messageMarks>[1] = []) =>
    messageMarks([{ explanations, origin: { writtenAtUs: null, folder: null } }], recorded);
  const lens = (changes: Partial<OomExplanation>): string => {
    const [mark] = marksOf([{ ...full, ...changes }]);
    return askingShort(mark);
  };

  it('has a mark whose lens gives the numbers of its class', () => {
    assert.equal(lens({}), '✖ requested 2.0 GiB, 1.3 GiB short');
    assert.equal(lens({ class: 'fragmentation' }), '✖ requested 2.0 GiB, 256 MiB unused in the cache');
    assert.equal(lens({ class: 'outside' }), '✖ requested 2.0 GiB, 256 MiB held outside of PyTorch');
    assert.equal(lens({ class: 'tooLarge' }), '✖ requested 2.0 GiB, the device has 8.0 GiB');
    assert.equal(lens({ class: 'deviceHasRoom' }), '✖ requested 2.0 GiB, 512 MiB were free');
    assert.equal(lens({ class: 'incomplete', freeBytes: null }), '✖ requested 2.0 GiB, out of memory');
    assert.equal(lens({ class: 'incomplete', requestedBytes: null }), '✖ out of memory');
    const [mark] = marksOf([full]);
    assert.match(askingSentences(mark), /^The device is full: .*\n/);
  });

  it('has one mark, and none where the workspace has no such file or a recording knows the failure', () => {
    assert.equal(marksOf([full, full]).length, 1);
    assert.deepEqual(marksOf(explained(FAILED)), []);
    const recorded = { file: 'net.py', line: 3, mapped: true, failure: {}, atUs: null } as Recorded;
    assert.deepEqual(marksOf([full], [recorded]), []);
    assert.equal(marksOf([full], [{ ...recorded, line: 4 }]).length, 1);
  });

  it('has none beside a recorded failure at another line with the same request, near in time or of one folder', () => {
    const failure = { askedBytes: 2 ** 31 - 512, device: 0, capacityBytes: 8.1 * 2 ** 30, path: '/runs/1/oom.pickle' };
    const recorded = { file: 'net.py', line: 9, mapped: true, failure, atUs: 1e15 } as Recorded;
    const count = (origin: MessageOrigin, mark = recorded, message = full): number =>
      messageMarks([{ explanations: [message], origin }], [mark]).length;
    const near = { writtenAtUs: 1e15 + 200e6, folder: null };
    assert.equal(count(near), 0);
    assert.equal(count({ writtenAtUs: null, folder: '/runs/1' }), 0);
    assert.equal(count({ writtenAtUs: 1e15 + 600e6, folder: '/runs' }), 1);
    assert.equal(count({ writtenAtUs: null, folder: null }), 1);
    assert.equal(count(near, { ...recorded, failure: { ...recorded.failure, askedBytes: 2 ** 31 + (16 << 20) } }), 1);
    assert.equal(count(near, { ...recorded, failure: { ...recorded.failure, device: 1 } }), 1);
    assert.equal(count(near, { ...recorded, failure: { ...recorded.failure, capacityBytes: 16 * 2 ** 30 } }), 1);
    assert.equal(count(near, { ...recorded, failure: { ...recorded.failure, capacityBytes: null } }), 0);
    // PyTorch names the segment, not the block.
    const small = { ...recorded, failure: { ...recorded.failure, askedBytes: 3 << 20 } };
    assert.equal(count(near, small, { ...full, requestedBytes: 20 << 20 }), 0);
  });
});
