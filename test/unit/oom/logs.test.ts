/** Messages in logs: wrapped, prefixed, of several ranks, with tracebacks of all kinds, in hostile text. */
import assert from 'node:assert/strict';
import { explained } from './explained.js';

const MESSAGE =
  'CUDA out of memory. Tried to allocate 1.00 GiB. GPU 0 has a total capacity of 8.00 GiB of which 10.00 MiB is ' +
  'free. Including non-PyTorch memory, this process has 7.90 GiB memory in use. Of the allocated memory 7.50 GiB is ' +
  'allocated by PyTorch, and 20.00 MiB is reserved by PyTorch but unallocated. If reserved but unallocated';
const TRACEBACK = [
  'Traceback (most recent call last):',
  '  File "/home/u/proj/train.py", line 40, in <module>',
  '    main()',
  '  File "/home/u/proj/model/net.py", line 12, in forward',
  '    y = self.layer(x)',
  '  File "/opt/lib/python3.11/site-packages/torch/nn/functional.py", line 99, in linear',
  '    return _linear(x)',
  `torch.OutOfMemoryError: ${MESSAGE}`,
];
const FILES = ['model/net.py', 'train.py', 'other.py'];
const asked = (text: string, files: readonly string[] = FILES): string[] =>
  explained(text, files).map(({ class: kind, asked: line }) => `${kind} ${line?.file ?? '-'}:${line?.line ?? 0}`);
const THIS = ['full model/net.py:12'];

describe('An out-of-memory message in a log', () => {
  it('names the innermost line of the workspace, else of the user', () => {
    const text = TRACEBACK.join('\n');
    const [found] = explained(text, FILES);
    assert.deepEqual(found.asked, { file: 'model/net.py', line: 12, function: 'forward', mapped: true });
    assert.equal(found.program, 'train.py');
    assert.equal(explained(text)[0].asked?.file, '/home/u/proj/model/net.py');
    assert.match(found.sentences.join('\n'), /\nmodel\/net\.py:12 \(forward\) requested 1\.0 GiB on device 0\.\n/);
    assert.deepEqual(asked(`torch.OutOfMemoryError: ${MESSAGE}`), ['full -:0']);
  });

  it('may be wrapped at any width', () => {
    for (const width of [20, 31, 40, 80, 119]) {
      const wrapped = TRACEBACK.slice(0, -1).concat(TRACEBACK[7].match(new RegExp(`.{1,${width}}`, 'g')) ?? []);
      assert.deepEqual(asked(wrapped.join('\r\n')), THIS, String(width));
    }
  });

  it('arrives in pieces of any size', () => {
    const text = TRACEBACK.join('\r\n');
    for (const piece of [1, 2, 7, 100]) assert.equal(explained(text, FILES, piece)[0].asked?.line, 12, String(piece));
  });

  it('may have timestamps, services, levels and colors before each line', () => {
    for (const prefix of [
      '2025-01-02T03:04:05.678Z ',
      '2025-01-02 03:04:05,678 - ERROR - ',
      '[2025-01-02 03:04:05] ',
      'trainer-1  | ',
      '(RayTrainWorker pid=4711, ip=10.0.0.1) ',
      '(EngineCore pid=2651) ERROR 05-08 11:47:02 [core.py:1136] ',
      '\u001b[1;31m',
      '| ',
      '# ',
      '> ',
    ]) {
      const text = TRACEBACK.map((line) => prefix + line).join('\n');
      assert.deepEqual(asked(text), THIS, prefix);
    }
    const wrapped = [...TRACEBACK.slice(0, -1), ...(TRACEBACK[7].match(/.{1,60}/g) ?? [])];
    assert.deepEqual(asked(wrapped.map((line) => `2025-01-02T03:04:05Z [rank1]: ${line}`).join('\n')), THIS);
  });

  it('of several ranks is one finding with its ranks, although their lines are mixed', () => {
    const ranks = [3, 0, 11];
    const mixed = TRACEBACK.flatMap((line) =>
      ranks.map((rank) => `[rank${rank}]: ${line.replace('GPU 0', `GPU ${rank % 8}`)}`),
    );
    const [found, ...more] = explained(mixed.join('\n'), FILES);
    assert.deepEqual([more.length, found.ranks, found.devices, found.count], [0, [0, 3, 11], [0, 3], 3]);
    assert.equal(found.asked?.line, 12);
    assert.match(found.sentences.join('\n'), /On ranks: 0, 3, 11\./);
    const other = TRACEBACK.map((line) => `[rank4]: ${line.replace('line 12', 'line 13')}`);
    assert.deepEqual(
      explained([...mixed, ...other].join('\n'), FILES).map(({ ranks: of }) => of),
      [[0, 3, 11], [4]],
    );
  });

  it('that a logger repeats is one, with the traceback of either', () => {
    assert.deepEqual(asked([`ERROR: ${MESSAGE}`, ...TRACEBACK, `skipped: ${MESSAGE}`].join('\n')), THIS);
    assert.equal(explained([...TRACEBACK, ...TRACEBACK].join('\n'))[0].count, 2);
    // torchrun repeats the traceback of each rank.
    const [both, ...none] = explained([...TRACEBACK, ...TRACEBACK.map((line) => `[rank2]: ${line}`)].join('\n'));
    assert.deepEqual([both.count, both.ranks, none.length], [2, [2], 0]);
  });

  it('takes no frames of another traceback', () => {
    const other = ['Traceback (most recent call last):', '  File "/home/u/proj/other.py", line 1, in f', 'KeyError: 1'];
    assert.deepEqual(asked([...other, '', ...TRACEBACK].join('\n')), THIS);
    const later = MESSAGE.replace('1.00 GiB', '2.00 GiB');
    assert.deepEqual(asked([...TRACEBACK, later].join('\n')), [...THIS, 'full -:0']);
  });

  it('of DataParallel has the frames of the replica, else those around it', () => {
    const replica = [
      'torch.OutOfMemoryError: Caught OutOfMemoryError in replica 1 on device 1.',
      'Original Traceback (most recent call last):',
    ];
    const library = '  File "/opt/lib/python3.11/site-packages/torch/nn/functional.py", line 99, in linear';
    const outer = ['Traceback (most recent call last):', '  File "/home/u/proj/train.py", line 40, in <module>'];
    assert.deepEqual(asked([...outer, ...replica, library, TRACEBACK[7]].join('\n')), ['full train.py:40']);
    assert.deepEqual(asked([...outer, ...replica, TRACEBACK[3], library, TRACEBACK[7]].join('\n')), THIS);
  });

  it('in a notebook or drawn by rich has its frames', () => {
    const library = 'File /opt/lib/python3.11/site-packages/torch/nn/functional.py:99, in linear(input)';
    const header = ['-'.repeat(75), 'OutOfMemoryError                          Traceback (most recent call last)'];
    const cell = [
      ...header,
      'Cell In[3], line 2',
      '      1 x = 1',
      '----> 2 net(x)',
      library,
      `OutOfMemoryError: ${MESSAGE}`,
    ];
    const [found] = explained(cell.join('\n'));
    assert.deepEqual([found.asked?.file, found.asked?.line], ['<ipython-input-3>', 2]);
    const file = [
      ...header,
      'File ~/proj/model/net.py:12, in Net.forward(self, x)',
      library,
      `OutOfMemoryError: ${MESSAGE}`,
    ];
    assert.deepEqual(asked(file.join('\n')), THIS);
    const old = [
      ...header,
      '~/proj/model/net.py in forward(self, x)',
      '     11',
      '---> 12     y = 1',
      '     13',
      `RuntimeError: ${MESSAGE}`,
    ];
    assert.deepEqual(asked(old.join('\n')), THIS);
    const typed = [
      ...header,
      '<ipython-input-37-f8a49abbd894> in <module>',
      '----> 1 train()',
      `RuntimeError: ${MESSAGE}`,
    ];
    const [cellOf] = explained(typed.join('\n'));
    assert.deepEqual([cellOf.asked?.file, cellOf.asked?.line], ['<ipython-input-37-f8a49abbd894>', 1]);
    const drive = old.join('\n').replace('~/proj', '/content/drive/My Drive/proj');
    assert.deepEqual(asked(drive), THIS);
    const rich = [
      '╭──── Traceback (most recent call last) ────╮',
      '│ /home/u/proj/model/net.py:12 in forward   │',
      '╰───────────────────────────────────────────╯',
      `OutOfMemoryError: ${MESSAGE}`,
    ];
    assert.deepEqual(asked(rich.join('\n')), THIS);
    assert.deepEqual(asked(JSON.stringify({ level: 'error', text: TRACEBACK.join('\n') })), THIS);
  });

  // A pattern that backtracks would take minutes.
  it('reads hostile text to its end, and keeps a bounded number of messages', () => {
    const size = 4 << 20;
    for (const part of [
      '\u001b[31',
      'CUDA out' + ' '.repeat(1000),
      'File "',
      'Tried to allocate 1',
      ' \\n out of memory',
      'a'.repeat(50) + ' ',
      '\r',
      '1: ',
      'CUDA out of memory. Tried to allocate 1.00 GiB (GPU 0; \n',
    ]) {
      const text = part.repeat(size / part.length);
      assert.ok(explained(text, [], 1 << 16).length <= 64, part);
    }
    const distinct = Array.from({ length: 500 }, (_, i) => MESSAGE.replace('1.00 GiB', `${i + 100}.00 MiB`));
    assert.equal(explained(distinct.join('\n')).length, 64);
  });
});
