/** Few names that are mentioned often, and many of them. */
import { PickleWriter } from '../support/pickleWriter.js';
import {
  FLAT,
  deepStacks,
  entry,
  frame,
  int,
  known,
  noFrames,
  numbered,
  one,
  segment,
  snapshot,
  text,
  times,
  type Attack,
  type Write,
} from './made.js';

/** As long as names may be. */
const LONG = 16_000;

/**
 * A snapshot of so many lines with a block each, all of one function of one file.
 * @param head begins both names
 * @param blocks of each line
 */
export function linesSnapshot(count: number, head: string, blocks = 1): Uint8Array {
  const name = head.padEnd(LONG, 'n');
  const writer = new PickleWriter();
  numbered([
    text(name),
    text(`/${name}.py`),
    ...times(
      count,
      (i): Write =>
        (w) =>
          w.list([(v) => v.dict({ name: known(0), filename: known(1), line: int(i + 1) })]),
    ),
  ])(writer);
  return withBlocks(writer, count, blocks, 2);
}

/** The snapshot of some live blocks per stack. @param first the number of the first stack */
function withBlocks(writer: PickleWriter, count: number, blocks: number, first: number): Uint8Array {
  return writer
    .dict({
      segments: (w) => w.list(times(count * blocks, (i) => segment(0, 512 * (i + 1), known(first + (i % count))))),
      device_traces: (w) => w.list([]),
    })
    .stop();
}

/** Snapshots of a process whose lines grow with each. */
function growing(count: number): Record<string, Uint8Array> {
  return Object.fromEntries(times(6, (step) => [`step_${step}.pickle`, linesSnapshot(count, 'f', step + 1)]));
}

/**
 * So many lines of one function, each with calls of its own.
 * @param from its first line
 * @param length of its names
 */
function movedLines(count: number, from: number, blocks = 1, length = 4): Uint8Array {
  const writer = new PickleWriter();
  numbered([
    text('f'.padEnd(length, 'n')),
    text(`/${'f'.padEnd(length, 'n')}.py`),
    text('/usr/lib/python3/site-packages/torch/nn/functional.py'),
    ...times(
      count,
      (i): Write =>
        (w) =>
          w.list([
            (v) => v.dict({ name: known(0), filename: known(2), line: int(i + 1) }),
            (v) => v.dict({ name: known(0), filename: known(1), line: int(from + i) }),
          ]),
    ),
  ])(writer);
  return withBlocks(writer, count, blocks, 3);
}

/** A trace of entries with this beside their address. */
function entries(count: number, more: (i: number) => Record<string, Write>): Uint8Array {
  return snapshot(
    [],
    [
      times(
        count,
        (i): Write =>
          (w) =>
            w.dict({ action: text('alloc'), addr: int(512 * (i + 1)), size: int(512), time_us: int(i), ...more(i) }),
      ),
    ],
  );
}

/** Digits of a name that is written in place. */
const DIGITS = '00000000';

/**
 * A value written so many times, each with its number in place of {@link DIGITS}, and with an address of its own if it
 * has one: a million of them are too many for one call each.
 */
function numberedCopies(count: number, write: Write): Uint8Array {
  // Without the head of a pickle.
  const head = new PickleWriter().stop().length - 1;
  const writer = new PickleWriter();
  write(writer);
  const copy = Buffer.from(writer.stop().subarray(head, -1));
  const places = [...copy.toString('latin1').matchAll(new RegExp(DIGITS, 'g'))].map(({ index }) => index);
  const address = Buffer.from(new PickleWriter().int(PLACE).stop().subarray(head, -1));
  const addresses: number[] = [];
  for (let at = copy.indexOf(address); at >= 0; at = copy.indexOf(address, at + 1)) addresses.push(at + 2);
  const all = Buffer.alloc(count * copy.length);
  for (let i = 0; i < count; i++) {
    const from = i * copy.length;
    all.set(copy, from);
    for (const place of places) all.write(String(i).padStart(DIGITS.length, '0'), from + place, 'latin1');
    for (const at of addresses) all.writeBigInt64LE(BigInt(512 * (i + 1)), from + at);
  }
  return all;
}

/** Stands for the address of a copy. */
const PLACE = 0x7e57_7e57_7e57;

/** So many segments of a live block each, or allocations in a trace, each of a function and a file of its own. */
function distinctNames(count: number, isTrace: boolean): Uint8Array {
  const frames: Write = (w) => w.list([frame(`f${DIGITS}`, `/home/user/project/m${DIGITS}.py`, 1)]);
  const copies: Write = (w) =>
    w
      .bytes(0x5d, 0x28)
      .raw(numberedCopies(count, isTrace ? entry('alloc', PLACE, frames) : segment(0, PLACE, frames)))
      .bytes(0x65);
  return new PickleWriter()
    .dict({
      segments: isTrace ? (w) => w.list([]) : copies,
      device_traces: (w) => w.list(isTrace ? [copies] : []),
    })
    .stop();
}

const long = (i: number): Write => text(String(i).padStart(LONG, 'x'));

/** Tags that spell a word, a soft hyphen, an override, an annotation, a variation selector, and a color of a terminal. */
const UNSEEN = '\u{e0049}\u{e0067}\u{e006e}\u00ad\u202e\ufff9\u{e0100}\u001b[31m';
const UNSEEN_FILES = times(6, (i) => `FOLDER/step_${i}${UNSEEN}.pickle`);
const COMPARED = ['--json', '--markdown', '--all'];
const OUTPUTS = ['--json', '--markdown', '--sarif', '--github'];

export const NAMES: readonly Attack[] = [
  one('100,000 lines of one long name', () => linesSnapshot(100_000, 'f')),
  one('50,000 lines of a name of escapes', () => linesSnapshot(50_000, '\u0007'.repeat(LONG))),
  ...OUTPUTS.map((output): Attack => ({
    name: `1,000 growing lines of one long name, ${output}`,
    files: () => growing(1000),
    commands: [['analyze', output, '--all', 'FILES']],
  })),
  {
    name: '1,000 growing lines of one long name, as text, compared, and as tables',
    files: () => growing(1000),
    commands: [
      ['analyze', '--all', 'FILES'],
      ['compare', '--all', 'FOLDER/step_0.pickle', 'FOLDER/step_5.pickle'],
      ['digest', '--out', 'OUT', 'FILES'],
      ['summarize', 'OUT'],
      ['facts', 'OUT'],
      ['facts', '--json', 'OUT'],
      ['baseline', 'write', '--root', 'FOLDER', '--fail-on', 'growing', 'FILES'],
    ],
  },
  {
    name: 'names that cannot be seen, in every output',
    files: () =>
      Object.fromEntries(
        times(6, (i) => [`step_${i}${UNSEEN}.pickle`, deepStacks(20 * (i + 1), 3, 20, (n) => `f${n}${UNSEEN}`)]),
      ),
    commands: [
      ...['', '--all', ...OUTPUTS].map((output) => ['analyze', ...(output === '' ? [] : [output]), 'FOLDER']),
      ...COMPARED.map((output) => ['compare', output, UNSEEN_FILES[0], UNSEEN_FILES[5]]),
      ['what-if', UNSEEN_FILES[5]],
      ['digest', '--out', 'OUT', 'FILES'],
      ['report', 'OUT'],
      ['report', '--json', 'OUT'],
      ['facts', '--json', 'OUT'],
      ['baseline', 'write', '--root', 'FOLDER', '--fail-on', 'growing', 'FILES'],
    ],
  },
  {
    name: '40,000 lines of a function that moved',
    files: () => ({ 'a.pickle': movedLines(40_000, 1), 'b.pickle': movedLines(40_000, 90) }),
    commands: COMPARED.map((output) => ['compare', output, 'FOLDER/a.pickle', 'FOLDER/b.pickle']),
  },
  {
    name: '4,000 lines that leak in one run, and 4,000 others in the next',
    files: () =>
      Object.fromEntries(
        times(12, (i) => {
          const [run, step] = [i < 6 ? 'before' : 'after', i % 6];
          return [`${run}/step_${step}.pickle`, movedLines(4000, run === 'before' ? 1 : 5000, step + 1, 2000)];
        }),
      ),
    commands: COMPARED.map((output) => ['compare', output, 'FOLDER/before', 'FOLDER/after']),
  },
  {
    name: 'stacks of 1,000 frames, compared',
    files: () => ({
      'a/step_1.pickle': deepStacks(5000, 1000, 300, (i) => `f${i}`.padEnd(2000, 'x')),
      'b/step_1.pickle': deepStacks(5000, 1000, 300, (i) => `g${i}`.padEnd(2000, 'x')),
    }),
    commands: COMPARED.map((output) => ['compare', output, 'FOLDER/a', 'FOLDER/b']),
  },
  one('a million segments, each of a function and a file of its own', () => distinctNames(1_000_000, false)),
  {
    ...one('200,000 allocations, each of a function and a file of its own', () => distinctNames(200_000, true)),
    maxMemory: FLAT,
  },
  one('1,000 long texts on trace entries', () =>
    entries(1000, (i) => ({ user_metadata: long(i), compile_context: long(i + 1) })),
  ),
  one('1,000 long categories', () => entries(1000, (i) => ({ category: long(i) }))),
  one('1,000 long actions', () => entries(1000, (i) => ({ action: long(i) }))),
  one('100,000 keys of one entry', () =>
    entries(1, () => Object.fromEntries(times(100_000, (i) => [`k${i}`, int(i)] as const))),
  ),
  one('100,000 entries of different keys', () => entries(100_000, (i) => ({ [`k${i}`]: int(i) }))),
  one('tracebacks of 300 frames behind 50,000 frames', () => {
    const writer = new PickleWriter();
    numbered([
      text('  File "/a/b.py", line 1, in f\n'.repeat(500)),
      ...times(
        50_000,
        (i): Write =>
          (w) =>
            w.list([
              (v) => v.dict({ name: text('f'), filename: text('/a.py'), line: int(i), fx_original_trace: known(0) }),
            ]),
      ),
    ])(writer);
    return writer
      .dict({
        segments: (w) => w.list(times(50_000, (i) => segment(0, 512 * (i + 1), known(1 + i)))),
        device_traces: (w) => w.list([]),
      })
      .stop();
  }),
  one('100,000 tracebacks of one text', () => {
    const writer = new PickleWriter();
    numbered([
      text('  File "/a/b.py", line 1, in f\n'.repeat(500)),
      ...times(100_000, (): Write => (w) => w.list([known(0)])),
    ])(writer);
    return writer
      .dict({
        segments: (w) => w.list([]),
        device_traces: (w) =>
          w.list([
            (v) =>
              v.list(
                times(
                  100_000,
                  (i): Write =>
                    (u) =>
                      u.dict({ action: text('alloc'), addr: int(i), size: int(1), forward_frames: known(1 + i) }),
                ),
              ),
          ]),
      })
      .stop();
  }),
  one('settings of 1 MB', () =>
    new PickleWriter()
      .dict({
        segments: (w) => w.list([segment(0, 512, noFrames)]),
        device_traces: (w) => w.list([]),
        allocator_settings: (w) =>
          w.dict(Object.fromEntries(times(20_000, (i) => [`a${i}`, text('x'.repeat(100))] as const))),
      })
      .stop(),
  ),
  one('100,000 annotations', () =>
    new PickleWriter()
      .dict({
        segments: (w) => w.list([segment(0, 512, noFrames)]),
        device_traces: (w) => w.list([(v) => v.list([entry('alloc', 512)])]),
        external_annotations: (w) =>
          w.list(
            times(
              100_000,
              (i): Write =>
                (v) =>
                  v.dict({
                    stage: text(i % 3 === 0 ? 'END' : 'START'),
                    name: text(`a${i}`),
                    device: int(i % 7),
                    time_us: int(i),
                  }),
            ),
          ),
      })
      .stop(),
  ),
];
