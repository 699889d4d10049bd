import assert from 'node:assert/strict';
import { join } from 'node:path';
import { BlockState, NO_INDEX, type Snapshot } from '../../../src/core/model/snapshot.js';
import { readable } from '../../support/columns.js';
import { pickle, type Picklable } from '../../support/plainPickle.js';
import { FIXTURES, readBytes, readFile } from '../../support/snapshots.js';

const SHAPES = join(FIXTURES, 'shapes');

function addresses(snapshot: Snapshot): bigint[] {
  const { addrHigh, addrLow } = snapshot.blocks;
  return [...addrHigh].map((high, i) => (BigInt(high) << 32n) | BigInt(addrLow[i]));
}

function segment(blocks: Picklable[], more: { [key: string]: Picklable } = {}): Picklable {
  return { device: 0, address: 0x7f00_0000_0000, total_size: 4096, stream: 0, blocks, ...more };
}

function stackWords(snapshot: Snapshot): string[] {
  return readable(snapshot).stacks.map(([frames]) =>
    frames.map(([file, line, name]) => `${name} ${file}:${line}`).join(' < '),
  );
}

describe('Older layouts', () => {
  it('give blocks the addresses that newer ones write', async () => {
    const newer = addresses(await readFile(join(SHAPES, 't21.p4.pickle')));
    for (const name of ['t112', 't113', 't20']) {
      assert.deepEqual(addresses(await readFile(join(SHAPES, `${name}.p4.pickle`))), newer, name);
    }
  });

  it('report their missing facts', async () => {
    const absent = async (name: string): Promise<readonly string[]> => (await readFile(join(SHAPES, name))).absent;
    assert.deepEqual(await absent('t112.p4.pickle'), ['requestedSizes', 'trace', 'stacks']);
    assert.deepEqual(await absent('t20.p4.pickle'), ['times']);
    assert.deepEqual(await absent('t213_segments_list.pickle'), ['trace']);
    assert.deepEqual(await absent('t213.p4.pickle'), []);
  });

  it('know the stack and the asked bytes of a live block by its history', async () => {
    const old = await readFile(join(SHAPES, 't113.p4.pickle'));
    const newer = await readFile(join(SHAPES, 't21.p4.pickle'));
    assert.deepEqual(stackWords(old).sort(), stackWords(newer).sort());
    assert.equal(readable(old).devices['0'].requested, readable(newer).devices['0'].requested);
  });

  it('link blocks to their allocations in 2.0', async () => {
    const { blocks } = await readFile(join(SHAPES, 't20.p4.pickle'));
    for (let block = 0; block < blocks.count; block++) {
      assert.equal(blocks.allocEvent[block] !== NO_INDEX, blocks.state[block] !== BlockState.Inactive);
    }
  });

  it('do not take the past of an inactive block for a leak, nor the past of a live one for its own', async () => {
    const life = (file: string): Picklable => ({
      addr: 1,
      real_size: 100,
      frames: [{ filename: file, name: 'f', line: 1 }],
    });
    const snapshot = await readBytes(
      pickle([
        segment([
          { size: 512, state: 'inactive', history: [life('gone.py')] },
          { size: 512, state: 'active_allocated', history: [life('own.py'), life('before.py')] },
          { size: 3072, state: 'inactive' },
        ]),
      ]),
    );
    assert.deepEqual(stackWords(snapshot), ['f own.py:1']);
    assert.deepEqual(readable(snapshot).devices['0'], { live: 512, reserved: 4096, requested: 100, events: 0 });
  });

  it('retain native frames beside the Python ones, each kind in its order', async () => {
    const snapshot = await readBytes(
      pickle({
        segments: [
          segment([
            {
              size: 4096,
              state: 'active_allocated',
              history: [
                {
                  addr: 1,
                  real_size: 4096,
                  frames: [{ filename: 'a.py', name: 'f', line: 1 }],
                  cpp_frames: ['c10::alloc', 'at::empty'],
                },
              ],
            },
          ]),
        ],
        device_traces: [],
      }),
    );
    assert.deepEqual(stackWords(snapshot), ['c10::alloc ??:-1 < at::empty ??:-1 < f a.py:1']);
  });

  it('read frames that the profiler wrote into one name', async () => {
    const frame = (name: string): Picklable => ({ filename: 'none', line: 0, name });
    const snapshot = await readBytes(
      pickle({
        device_traces: [[]],
        segments: [
          segment([
            { size: 1024, state: 'inactive' },
            {
              size: 3072,
              state: 'active_allocated',
              requested_size: 3000,
              frames: [frame('<built-in method empty of type object at 0x7f>'), frame('a/model.py(12): forward')],
            },
          ]),
        ],
      }),
    );
    assert.deepEqual(stackWords(snapshot), [
      '<built-in method empty of type object at 0x7f> :-1 < def forward a/model.py:12',
    ]);
  });

  it('that are empty or lists of something else are not snapshots', async () => {
    await assert.rejects(readBytes(pickle([])), /no segments/);
    await assert.rejects(readBytes(pickle([1, 2])), /no segments/);
  });
});
