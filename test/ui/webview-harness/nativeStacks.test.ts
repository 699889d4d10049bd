/** Stacks that were recorded with C++ frames, where they are shown; and the readout, which leaves the plot to be seen. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Locator } from 'playwright-core';
import { eventually } from '../../support/eventually.js';
import { pickle } from '../../support/plainPickle.js';
import { newFolder } from '../../support/workspaces.js';
import { choose } from './choose.js';
import { harnessSession } from './harnessSession.js';

const MiB = 1024 * 1024;
const PLACE = '/home/engineer/with/a/long/path/to/the/code/of/models/attention.py';

const MACHINERY = [
  ['??', 'torch::unwind::unwind()'],
  ['??', 'torch::CapturedTraceback::gather(bool, bool, bool)'],
  ['memory_snapshot.cpp', 'torch::cuda::(anonymous namespace)::gather_with_cpp()'],
];
const NATIVE = [
  [
    'CUDACachingAllocator.cpp',
    'c10::cuda::CUDACachingAllocator::Native::DeviceCachingAllocator::malloc(unsigned long)',
  ],
  ...Array.from({ length: 40 }, (_, at) => ['??', `at::_ops::call_${at}(at::Tensor const&, c10::ArrayRef<long>)`]),
];
const PYTHON = [
  [PLACE, 'forward'],
  ['/opt/lib/python3.12/site-packages/torch/nn/modules/module.py', '_call_impl'],
  ['/home/engineer/train.py', 'train_step'],
];

/** One block of 60 MiB that was allocated below so many frames. */
function deep(): string {
  const frames = [...MACHINERY, ...NATIVE, ...PYTHON].map(([filename, name]) => ({ filename, line: 7, name }));
  const block = { address: MiB, size: 60 * MiB, requested_size: 60 * MiB, state: 'active_allocated', frames };
  const segment = { device: 0, address: MiB, total_size: 60 * MiB, stream: 0, segment_type: 'large', blocks: [block] };
  const trace = [
    { action: 'segment_alloc', addr: MiB, size: 60 * MiB, time_us: 1000, stream: 0, frames },
    { action: 'alloc', addr: MiB, size: 60 * MiB, time_us: 1001, stream: 0, frames },
    { action: 'snapshot', addr: 0, size: 60 * MiB, time_us: 9000, stream: 0 },
  ];
  const path = join(newFolder(), 'deep_step_1.pickle');
  writeFileSync(path, pickle({ segments: [segment], device_traces: [trace] }));
  return path;
}

describe('stacks with C++ frames', () => {
  const session = harnessSession();

  it('show Python first, and count folded and hidden frames', async () => {
    const { page } = await session.open({ paths: [deep()] });
    const plot = page.locator('.plot');
    await choose(page, 'Color of the series', 'By line');
    await page.locator('.band-key', { hasText: '…/models/attention.py:7' }).waitFor();
    const { width, height } = await sizeOf(plot);
    await plot.click({ position: { x: width * 0.5, y: height * 0.6 } });
    const card = page.locator('.selection');
    await card.locator('h2', { hasText: `${PLACE}:7` }).waitFor();
    assert.deepEqual(
      (await card.locator('.stack > li').allInnerTexts()).map((text) => text.trim()),
      [
        `${NATIVE.length} C++ frames`,
        `${PLACE}:7 forward`,
        '1 library frame',
        '/home/engineer/train.py:7 train_step',
        `${MACHINERY.length} frames are hidden: of the recording itself, of the Python interpreter, or too far out`,
      ],
    );
    await page.getByRole('tab', { name: 'Stacks' }).click();
    const cell = page.locator('.live-table td.function', { hasText: 'forward ← _call_impl ← train_step' });
    await cell.waitFor();
    assert.match((await cell.getAttribute('title')) ?? '', /44 C\+\+ frames are hidden$/);
  });

  for (const width of [320, 1000]) {
    it(`leave the plot to be seen beside the readout, ${width} pixels wide`, async () => {
      const { page } = await session.open({ paths: [deep()], viewport: { width, height: 800 } });
      const plot = page.locator('.plot');
      await page.locator('.bands canvas').first().waitFor();
      const size = await sizeOf(plot);
      const readout = page.locator('.readout');
      for (const [x, y] of [
        [0.6, 0.35],
        [0.4, 0.75],
        [0.9, 0.5],
      ]) {
        const pointer = { x: size.width * x, y: size.height * y };
        await plot.hover({ position: pointer });
        await readout.filter({ hasText: 'attention.py:7' }).waitFor();
        await eventually(async () => {
          const [box, whole] = [await boxOf(readout), await boxOf(plot)];
          assert.ok(box.height < whole.height / 2, `${box.height} of ${whole.height} pixels high`);
          assert.ok(box.x >= 0 && box.x + box.width <= width, 'inside the page');
          const isUnder =
            pointer.x > box.x - whole.x &&
            pointer.x < box.x - whole.x + box.width &&
            pointer.y > box.y - whole.y &&
            pointer.y < box.y - whole.y + box.height;
          assert.equal(isUnder, false, `at ${x}, ${y}`);
        });
      }
    });
  }
});

async function boxOf(locator: Locator): Promise<{ x: number; y: number; width: number; height: number }> {
  const box = await locator.boundingBox();
  assert.ok(box !== null);
  return box;
}

async function sizeOf(locator: Locator): Promise<{ width: number; height: number }> {
  const { width, height } = await boxOf(locator);
  return { width, height };
}
