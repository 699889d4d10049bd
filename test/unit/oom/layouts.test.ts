/** Each layout of the message since PyTorch 1.0, and the class that its numbers show. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { OomExplanation } from '../../../src/core/oom/explanation.js';
import { repositoryRoot } from '../../support/repository.js';
import { explained } from './explained.js';

const MIB = 1 << 20;
const GIB = 1 << 30;
const REAL = join(repositoryRoot(), '../shared/oom-messages/messages.tsv');

/** A message of the present layout. */
function message(parts: {
  backend?: string;
  asked: string;
  capacity: string;
  free: string;
  middle?: string;
  allocated: string;
  unused: string;
}): string {
  const { backend = 'CUDA', asked, capacity, free, middle = '', allocated, unused } = parts;
  return (
    `torch.OutOfMemoryError: ${backend} out of memory. Tried to allocate ${asked}. GPU 2 has a total capacity of ` +
    `${capacity} of which ${free} is free. ${middle}Of the allocated memory ${allocated} is allocated by PyTorch, ` +
    `and ${unused} is reserved by PyTorch but unallocated. If reserved but unallocated memory is large try setting ` +
    'PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True to avoid fragmentation.'
  );
}

function only(text: string): OomExplanation {
  const [first, ...rest] = explained(text);
  assert.equal(rest.length, 0);
  return first;
}

describe('The layouts of an out-of-memory message', () => {
  it('of 1.0 to 1.3 name the unused part of the cache', () => {
    const text =
      'RuntimeError: CUDA out of memory. Tried to allocate 300.00 MiB (GPU 1; 8.00 GiB total capacity; ' +
      '7.50 GiB already allocated; 100.00 MiB free; 50.00 MiB cached)';
    const { class: kind, requestedBytes, unusedBytes, outsideBytes, shortBytes, devices } = only(text);
    assert.deepEqual([kind, requestedBytes, unusedBytes, shortBytes], ['full', 300 * MIB, 50 * MIB, 150 * MIB]);
    assert.deepEqual([outsideBytes, devices], [362 * MIB, [1]]);
  });

  it('of 1.4 to 2.0 name all that is reserved', () => {
    const text =
      'CUDA out of memory. Tried to allocate 1.00 GiB (GPU 0; 8.00 GiB total capacity; 4.00 GiB already ' +
      'allocated; 512.00 MiB free; 7.00 GiB reserved in total by PyTorch) If reserved memory is >> allocated memory';
    const { class: kind, unusedBytes, freeBytes, outsideBytes, shortBytes, onlyTipsOver } = only(text);
    assert.deepEqual([kind, unusedBytes, freeBytes, shortBytes], ['fragmentation', 3 * GIB, GIB / 2, 0]);
    assert.deepEqual([outsideBytes, onlyTipsOver], [GIB / 2, false]);
  });

  it('of 2.1 misspell the capacity and name the process by its number', () => {
    const text = message({
      asked: '496.00 MiB',
      capacity: '16.00 GiB',
      free: '128.00 MiB',
      middle: 'Process 4711 has 15.80 GiB memory in use. ',
      allocated: '15.00 GiB',
      unused: '400.00 MiB',
    }).replace('capacity', 'capacty');
    const { class: kind, onlyTipsOver, capacityBytes } = only(text);
    assert.deepEqual([kind, onlyTipsOver, capacityBytes], ['fragmentation', true, 16 * GIB]);
  });

  it('of ROCm and XPU differ in the name only, and XPU leaves free memory out', () => {
    const amounts = {
      asked: '2.00 GiB',
      capacity: '16.00 GiB',
      free: '8.00 GiB',
      allocated: '1.00 GiB',
      unused: '0 bytes',
    };
    const hip = only(message({ backend: 'HIP', ...amounts }));
    assert.deepEqual([hip.class, hip.backend, hip.unusedBytes], ['deviceHasRoom', 'HIP', 0]);
    const xpu = only(
      'RuntimeError: XPU out of memory. Tried to allocate 2.00 GiB (GPU 0; 16.00 GiB total capacity; ' +
        '1.00 GiB already allocated; 1.50 GiB reserved in total by PyTorch)',
    );
    assert.deepEqual([xpu.class, xpu.backend, xpu.freeBytes, xpu.shortBytes], ['incomplete', 'XPU', null, null]);
    const full = only(
      'XPU out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 16.00 GiB. Of the allocated ' +
        'memory 15.00 GiB is allocated by PyTorch, and 1.00 MiB is reserved by PyTorch but unallocated.',
    );
    assert.deepEqual([full.class, full.outsideBytes], ['full', null]);
  });

  it('of cudaMallocAsync hide how much is cached, so no cause is claimed', () => {
    const text =
      'torch.cuda.OutOfMemoryError: Allocation on device 3 would exceed allowed memory. (out of memory)\n' +
      'Currently allocated     : 6.00 GiB\nRequested               : 320.00 MiB\n' +
      'Device limit            : 24.00 GiB\nFree (according to CUDA): 2.00 MiB\n' +
      'PyTorch limit (set by user-supplied memory fraction)\n                        : 17179869184.00 GiB\nnext line';
    const { class: kind, requestedBytes, limitBytes, devices, sentences } = only(text);
    assert.deepEqual([kind, requestedBytes, limitBytes, devices], ['incomplete', 320 * MIB, null, [3]]);
    assert.match(sentences[0], /18\.0 GiB is neither free nor allocated/);
  });

  it('of Metal show the limit', () => {
    const text =
      'RuntimeError: MPS backend out of memory (MPS allocated: 9.00 GB, other allocations: 17.00 GB, max allowed: ' +
      '27.00 GB). Tried to allocate 2.00 GB on private pool. Use PYTORCH_MPS_HIGH_WATERMARK_RATIO=0.0 to disable';
    const { class: kind, limitBytes, outsideBytes } = only(text);
    assert.deepEqual([kind, limitBytes, outsideBytes], ['limit', 27 * GIB, 17 * GIB]);
  });

  it('without numbers are incomplete; the same words in code or prose are no message', () => {
    assert.equal(only('RuntimeError: CUDA error: out of memory').class, 'incomplete');
    assert.equal(only('THCudaCheck FAIL: cuda runtime error (2) : out of memory').class, 'incomplete');
    assert.deepEqual(explained('    if "CUDA out of memory" in str(error):\n'), []);
    assert.deepEqual(explained('Reduce the batch size when CUDA out of memory appears.\n'), []);
    assert.deepEqual(explained('DefaultCPUAllocator: you tried to allocate 4096 bytes. Error code 12\n'), []);
  });
});

describe('The class of an out-of-memory message', () => {
  const amounts = {
    asked: '1.00 GiB',
    capacity: '16.00 GiB',
    free: '100.00 MiB',
    allocated: '8.00 GiB',
    unused: '1.00 MiB',
  };
  const kindOf = (changes: Partial<Parameters<typeof message>[0]>): OomExplanation =>
    only(message({ ...amounts, ...changes }));

  it('is tooLarge where the request exceeds the device, even while other numbers do', () => {
    assert.equal(kindOf({ asked: '17.00 GiB' }).class, 'tooLarge');
    assert.equal(kindOf({ asked: '17.00 GiB', allocated: '20.00 GiB' }).class, 'tooLarge');
  });

  it('is outside where memory that is not PyTorch’s would be enough, and says whose it is', () => {
    const {
      class: kind,
      outsideBytes,
      shortBytes,
      sentences,
    } = kindOf({
      middle: 'Including non-PyTorch memory, this process has 8.50 GiB memory in use. ',
    });
    assert.deepEqual([kind, outsideBytes, shortBytes], ['outside', 8 * GIB - 101 * MIB, GIB - 101 * MIB]);
    assert.match(sentences[1], /this process holds 511 MiB, and other processes 7\.4 GiB/);
    // On a small device, CUDA itself takes a large part.
    const small = { asked: '64.00 MiB', capacity: '4.00 GiB', free: '0 bytes', unused: '60.00 MiB' };
    assert.equal(kindOf({ ...small, allocated: '3.35 GiB' }).class, 'full');
    assert.equal(kindOf({ ...small, allocated: '2.50 GiB' }).class, 'outside');
    // An own context of CUDA is no cause, nor is memory that would not be enough.
    assert.equal(kindOf({ allocated: '15.00 GiB' }).class, 'full');
    assert.equal(kindOf({ asked: '10.00 GiB' }).class, 'full');
  });

  it('stays outside while a small rest of the cache would be enough', () => {
    assert.equal(kindOf({ asked: '20.00 MiB', free: '10.00 MiB', unused: '40.00 MiB' }).class, 'outside');
    assert.equal(kindOf({ asked: '20.00 MiB', free: '10.00 MiB', unused: '2.00 GiB' }).class, 'fragmentation');
  });

  it('is limit where the device has room, and deviceHasRoom without a limit', () => {
    const room = { free: '7.00 GiB', allocated: '3.50 GiB' };
    assert.equal(kindOf({ ...room, middle: '4.00 GiB allowed; ' }).class, 'limit');
    assert.equal(kindOf({ ...room, middle: '12.00 GiB allowed; ' }).class, 'deviceHasRoom');
    assert.equal(kindOf(room).class, 'deviceHasRoom');
    // The last megabytes of a device are no room.
    assert.equal(
      kindOf({ asked: '2.00 MiB', free: '3.00 MiB', allocated: '14.80 GiB', unused: '500.00 MiB' }).onlyTipsOver,
      true,
    );
  });

  it('stays deviceHasRoom where the cache could not have served the request', () => {
    const last = { asked: '2.00 MiB', free: '3.00 MiB', allocated: '15.50 GiB', unused: '1.00 MiB' };
    assert.equal(kindOf(last).class, 'deviceHasRoom');
    assert.equal(kindOf({ ...last, allocated: '6.00 GiB' }).class, 'outside');
  });

  it('is inconsistent where the parts exceed the device', () => {
    const more = kindOf({ allocated: '14.00 GiB', unused: '9.00 GiB' });
    assert.deepEqual([more.class, more.outsideBytes, more.shortBytes], ['inconsistent', null, null]);
    assert.equal(kindOf({ free: '85.00 GiB' }).class, 'inconsistent');
  });

  it('counts private pools once', () => {
    const text = message(amounts).replace(
      'PyTorch, and',
      'PyTorch, with 241.21 MiB allocated in private pools (e.g., CUDA Graphs), and',
    );
    assert.equal(only(text).allocatedBytes, 8 * GIB);
  });

  it('is that of all collected real messages', function () {
    if (!existsSync(REAL)) {
      console.log('      skipped: no real messages here');
      this.skip();
    }
    const [, ...rows] = readFileSync(REAL, 'utf8').trimEnd().split('\n');
    assert.ok(rows.length >= 14);
    for (const row of rows) {
      const [source, kind, , text] = row.split('\t');
      assert.equal(only(text).class, kind, source);
    }
  });
});
