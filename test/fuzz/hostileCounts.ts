/** Segments, blocks and events of odd numbers and in odd orders. */
import { PickleWriter } from '../support/pickleWriter.js';
import {
  FLAT,
  entry,
  frame,
  int,
  noFrames,
  one,
  segment,
  snapshot,
  text,
  times,
  type Attack,
  type Write,
} from './made.js';

interface Event {
  readonly action: string;
  readonly addr: number;
  readonly size?: number;
  readonly time?: number;
  readonly frames?: Write;
}

function event({ action, addr, size = 512, time = addr, frames = noFrames }: Event): Write {
  return (w) =>
    w.dict({
      action: text(action),
      addr: int(addr),
      size: int(size),
      time_us: int(time),
      device_free: int(5),
      frames,
    });
}

const events = (count: number, make: (i: number) => Event): Uint8Array =>
  snapshot([], [times(count, (i) => event(make(i)))]);

/** One segment of so many blocks. */
function blocks(count: number, block: (i: number) => { state: string; size: number; address: number }): Uint8Array {
  return snapshot([
    (w) =>
      w.dict({
        device: int(0),
        address: int(512),
        total_size: int(512 * count),
        stream: int(0),
        segment_type: text('large'),
        blocks: (v) =>
          v.list(
            times(count, (i): Write => {
              const { state, size, address } = block(i);
              return (u) =>
                u.dict({
                  address: int(address),
                  size: int(size),
                  requested_size: int(size),
                  state: text(state),
                  frames: noFrames,
                });
            }),
          ),
      }),
  ]);
}

const HUGE = 2 ** 62;

/** A training loop as functions and lines show it, with odd rounds. */
function loop(rounds: number, frames: (round: number) => Write): Uint8Array {
  return snapshot(
    [],
    [times(rounds, (i) => event({ action: 'alloc', addr: 512 * (i + 1), time: i, frames: frames(i) }))],
  );
}

const called = (...names: string[]): Write => {
  return (w) => w.list(names.map((name, i) => frame(name, `/${name}.py`, i + 1)));
};

/** 10,000 files of this content: by their names, twice as many take as long as an attack may. */
function refused(name: string, content: string): Attack {
  return {
    name: `10,000 files, each ${name}`,
    files: () =>
      Object.fromEntries(times(10_000, (i) => [`${i}.pickle`, Buffer.from(`\u0080\u0004${content}`, 'latin1')])),
    commands: [
      ['analyze', 'FOLDER'],
      ['analyze', '--json', 'FILES'],
    ],
    maxMemory: FLAT,
  };
}

export const COUNTS: readonly Attack[] = [
  refused('no snapshot', '}.'),
  refused('of code', 'cos\nsystem\n.'),
  refused('without its end', '}('),
  one('100,000 failures', () => events(100_000, (i) => ({ action: 'oom', addr: i }))),
  one('100,000 snapshots in a trace', () => events(100_000, (i) => ({ action: 'snapshot', addr: i }))),
  one('100,000 mapped and unmapped segments', () =>
    events(100_000, (i) => ({ action: i % 2 === 0 ? 'segment_map' : 'segment_unmap', addr: (i * 7919) % 100_000 })),
  ),
  one('100,000 segments allocated over each other', () =>
    events(100_000, (i) => ({ action: 'segment_alloc', addr: i, size: HUGE })),
  ),
  one('100,000 frees of what was never allocated', () =>
    events(100_000, (i) => ({ action: i % 2 === 0 ? 'free_requested' : 'free_completed', addr: i })),
  ),
  one('100,000 allocations of 4 EB', () => events(100_000, (i) => ({ action: 'alloc', addr: i, size: HUGE }))),
  one('100,000 events back in time', () => events(100_000, (i) => ({ action: 'alloc', addr: i, time: 200_000 - i }))),
  one('100,000 events of one time', () => events(100_000, (i) => ({ action: 'alloc', addr: i, time: 7 }))),
  one('100,000 allocations, freed from the last', () =>
    events(200_000, (i) => ({
      action: i < 100_000 ? 'alloc' : 'free_completed',
      addr: i < 100_000 ? i : 199_999 - i,
      time: i,
    })),
  ),
  one('100,000 blocks of one segment', () =>
    blocks(100_000, (i) => ({ state: 'active_allocated', size: 512, address: 512 * (i + 1) })),
  ),
  one('100,000 blocks in one place', () =>
    blocks(100_000, () => ({ state: 'active_allocated', size: 512, address: 512 })),
  ),
  one('100,000 blocks that wait', () =>
    blocks(100_000, (i) => ({ state: 'active_pending_free', size: 512, address: 512 * (i + 1) })),
  ),
  one('100,000 gaps', () =>
    blocks(100_000, (i) => ({
      state: i % 2 === 0 ? 'inactive' : 'active_allocated',
      size: 512,
      address: 512 * (i + 1),
    })),
  ),
  one('100,000 blocks of different sizes', () =>
    blocks(100_000, (i) => ({ state: 'active_allocated', size: i + 1, address: 512 * (i + 1) })),
  ),
  one('100,000 blocks of 4 EB', () =>
    blocks(100_000, () => ({ state: 'active_allocated', size: HUGE, address: HUGE })),
  ),
  one('50,000 segments, each of a pool and a stream', () =>
    snapshot(
      times(50_000, (i) =>
        segment(0, 512 * (i + 1), noFrames, {
          stream: int(i),
          segment_pool_id: (w) => w.bytes(0x28).int(i).int(i).bytes(0x74),
        }),
      ),
    ),
  ),
  one('50,000 segments that lie over each other', () =>
    snapshot(times(50_000, () => segment(0, 512, noFrames, { total_size: int(HUGE) }))),
  ),
  one('50,000 segments of small pieces, freed', () =>
    snapshot(
      times(50_000, (i) => segment(0, 4096 * (i + 1), noFrames, { total_size: int(4096) })),
      [times(50_000, (i) => event({ action: 'free_requested', addr: 4096 * (i + 1), time: i }))],
    ),
  ),
  one('100,000 rounds of one line', () => loop(100_000, () => called('step', 'train'))),
  one('50,000 rounds of an optimizer', () =>
    loop(50_000, (i) => called(i % 2 === 0 ? 'step' : 'backward', '_init_group', 'train')),
  ),
  one('50,000 rounds, each of a line of its own', () => loop(50_000, (i) => called(`f${i}`, 'train'))),
  one('30,000 rounds of 20 lines that free what others allocate', () =>
    snapshot(
      [],
      [
        times(60_000, (i) =>
          event(
            i % 2 === 0
              ? { action: 'alloc', addr: 512 * (i + 2), time: i, frames: called(`f${i % 20}`, 'train') }
              : { action: 'free_completed', addr: 512 * (((i * 31) % 60_000) + 2), time: i },
          ),
        ),
      ],
    ),
  ),
  one('an entry that is named 500,000 times', () => {
    const writer = new PickleWriter().bytes(0x28);
    entry('alloc', 512)(writer);
    writer.bytes(0x94, 0x31);
    return writer
      .dict({
        segments: (w) => w.list([]),
        device_traces: (w) =>
          w.list([
            (v) =>
              v
                .bytes(0x5d, 0x28)
                .raw(Buffer.alloc(1_000_000, Uint8Array.of(0x68, 0)))
                .bytes(0x65),
          ]),
      })
      .stop();
  }),
  one('a trace that is named 100 times', () => {
    const writer = new PickleWriter().bytes(0x28);
    writer.list(times(50_000, (i) => entry('alloc', 512 * (i + 1)))).bytes(0x94, 0x31);
    return writer
      .dict({
        segments: (w) => w.list([]),
        device_traces: (w) =>
          w
            .bytes(0x5d, 0x28)
            .raw(Buffer.alloc(200, Uint8Array.of(0x68, 0)))
            .bytes(0x65),
      })
      .stop();
  }),
];
