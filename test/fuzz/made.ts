/** How hostile files are made. */
import { deflateRawSync } from 'node:zlib';
import { PickleWriter } from '../support/pickleWriter.js';
import { zipArchive } from '../support/zipWriter.js';

/** What is given to the command line at once. */
export interface Attack {
  readonly name: string;
  /** By file name. */
  readonly files: () => Record<string, string | Uint8Array> | Promise<Record<string, string | Uint8Array>>;
  /** Symbolic links, by the name of the link. */
  readonly links?: Readonly<Record<string, string>>;
  /** The content of standard input; closed if left out. */
  readonly input?: () => string;
  /** In MiB, where it must stay below what any input may take. */
  readonly maxMemory?: number;
  /** Commands, one after the other, of words that may be `FILES`, `FOLDER` or `OUT`; the report as JSON where left out. */
  readonly commands?: readonly (readonly string[])[];
}

/** In MiB, however many files or names there are. */
export const FLAT = 300;

export type Write = (writer: PickleWriter) => unknown;

export const MB = 1 << 20;
export const text =
  (value: string): Write =>
  (w) =>
    w.text(value);
export const int =
  (value: number): Write =>
  (w) =>
    w.int(value);
export const times = <T>(count: number, make: (i: number) => T): T[] =>
  Array.from({ length: count }, (_, i) => make(i));

export function frame(name: string, file: string, line: number): Write {
  return (w) => w.dict({ name: text(name), filename: text(file), line: int(line) });
}

/** A snapshot of these segments, and of one trace per list of entries. */
export function snapshot(segments: readonly Write[], traces: readonly (readonly Write[])[] = []): Uint8Array {
  return new PickleWriter()
    .dict({
      segments: (w) => w.list(segments),
      device_traces: (w) => w.list(traces.map((entries) => (v: PickleWriter) => v.list(entries))),
    })
    .stop();
}

/** A segment of one live block. */
export function segment(device: number, address: number, frames: Write, texts: Record<string, Write> = {}): Write {
  const block: Write = (w) =>
    w.dict({
      address: int(address),
      size: int(512),
      requested_size: int(500),
      state: text('active_allocated'),
      frames,
    });
  return (w) =>
    w.dict({
      device: int(device),
      address: int(address),
      total_size: int(512),
      stream: int(0),
      segment_type: text('large'),
      blocks: (v) => v.list([block]),
      ...texts,
    });
}

export const noFrames: Write = (w) => w.list([]);

export function entry(action: string, address: number, frames: Write = noFrames): Write {
  return (w) => w.dict({ action: text(action), addr: int(address), size: int(512), time_us: int(address), frames });
}

/** A whole small snapshot, with foreign bytes in one of three places. */
function withBytes(place: number, bytes: Uint8Array): Uint8Array {
  const odd: Write = (w) => w.raw(bytes);
  const writer = new PickleWriter();
  if (place === 0) writer.raw(bytes);
  writer.dict({
    segments: (w) => w.list([segment(0, 512, noFrames, place === 1 ? { frames: odd } : {})]),
    device_traces: (w) => w.list([(v) => v.list([entry('alloc', 512)])]),
  });
  if (place === 2) writer.raw(bytes);
  return writer.stop();
}

/** Every opcode in three places, with arguments that mean as much as may be. */
export function opcodes(place: number, argument: number): Attack {
  return {
    name: `every opcode, place ${place}, arguments ${argument}`,
    files: () =>
      Object.fromEntries(
        times(256, (op) => [
          `${place}_${argument}_${op}.pickle`,
          withBytes(place, Uint8Array.of(op, ...times(9, () => argument))),
        ]),
      ),
  };
}

export function pickle(name: string, write: (writer: PickleWriter) => PickleWriter): Attack {
  return { name, files: () => ({ 'x.pickle': write(new PickleWriter()).stop() }) };
}

export function one(name: string, make: () => string | Uint8Array, file = 'x.pickle'): Attack {
  return { name, files: () => ({ [file]: make() }) };
}

/** The value that was numbered as this one, from 0. */
export function known(id: number): Write {
  return (w) => w.bytes(0x6a, id & 255, (id >> 8) & 255, (id >> 16) & 255, 0);
}

/** Values that are only numbered, in their order. */
export function numbered(values: readonly Write[]): Write {
  return (w) => {
    w.bytes(0x28);
    for (const write of values) {
      write(w);
      w.bytes(0x94);
    }
    return w.bytes(0x31); // POP_MARK
  };
}

/** A list that holds the list before it twice, and so on. */
export function doubling(levels: number): (writer: PickleWriter) => PickleWriter {
  return (w) => {
    w.bytes(0x5d, 0x94);
    for (let level = 0; level < levels; level++) w.bytes(0x5d, 0x94, 0x28, 0x68, level, 0x68, level, 0x65);
    return w;
  };
}

/** Frames that are written once, and stacks that name them again. */
export function deepStacks(stacks: number, depth: number, distinct: number, name: (i: number) => string): Uint8Array {
  const frames = (stack: number): Write => {
    return (w) => {
      w.bytes(0x5d, 0x28);
      for (let i = 0; i < depth; i++) {
        const id = i === 0 ? stack % distinct : i % distinct;
        w.bytes(0x6a, id & 255, (id >> 8) & 255, (id >> 16) & 255, 0);
      }
      return w.bytes(0x65);
    };
  };
  const writer = new PickleWriter().bytes(0x28);
  for (let i = 0; i < distinct; i++) {
    frame(name(i), name(i), i)(writer);
    writer.bytes(0x94);
  }
  writer.bytes(0x31); // POP_MARK
  writer.dict({
    segments: (w) => w.list(times(stacks, (i) => segment(0, 512 * (i + 1), frames(i)))),
    device_traces: (w) => w.list([]),
  });
  return writer.stop();
}

export function chrome(events: readonly object[]): string {
  return JSON.stringify({ schemaVersion: 1, traceEvents: events });
}

export function memoryEvent(ts: number, device: number): object {
  const args = { 'Device Type': 1, 'Device Id': device, Addr: Math.ceil(ts), Bytes: 512, 'Total Allocated': 512 };
  return { ph: 'i', name: '[memory]', pid: 1, tid: 1, ts, args };
}

export function gzipHeader(name: Uint8Array): Uint8Array {
  return Buffer.concat([Uint8Array.of(0x1f, 0x8b, 8, 8, 0, 0, 0, 0, 0, 3), name, Uint8Array.of(0)]);
}

/** All members lie in the same place. */
export function overlapping(members: number, bytes: Uint8Array): Uint8Array {
  const archive = zipArchive(times(members, (i) => ({ name: `${i}.pickle`, bytes: new Uint8Array(0) })));
  const packed = deflateRawSync(bytes);
  const head = Buffer.alloc(30);
  head.writeUInt32LE(0x04034b50, 0);
  head.writeUInt16LE(8, 8);
  const shift = head.length + packed.length;
  const end = archive.length - 22;
  const from = archive.readUInt32LE(end + 16);
  for (let at = from; at < end; at += 46 + archive.readUInt16LE(at + 28)) {
    archive.writeUInt16LE(8, at + 10);
    archive.writeUInt32LE(packed.length, at + 20);
    archive.writeUInt32LE(bytes.length, at + 24);
    archive.writeUInt32LE(0, at + 42);
  }
  archive.writeUInt32LE(shift, end + 16);
  return Buffer.concat([head, packed, archive.subarray(from)]);
}

/** Beside a snapshot that is good. */
export function sidecar(name: string, content: () => string): Attack {
  return {
    name: `a sidecar: ${name}`,
    files: () => ({
      'x.pickle': snapshot([segment(0, 512, (w) => w.list([frame('f', '/a/b.py', 1)]))]),
      'x.leakline.json': content(),
    }),
  };
}

/** Stand where something else was. */
const ODD: readonly unknown[] = [null, -1, 1e308, 'x', '', [], {}, true, [null], { length: 1e9 }, '\u001b]0;x\u0007'];

/** A value with something odd in the place of each part, first items of lists only. */
export function* oddParts(value: unknown, put: (odd: unknown) => unknown): Generator {
  for (const odd of ODD) yield put(odd);
  if (typeof value !== 'object' || value === null) return;
  for (const [key, part] of Array.isArray(value) ? [...value.entries()].slice(0, 1) : Object.entries(value)) {
    yield* oddParts(part, (odd) =>
      put(Array.isArray(value) ? value.with(key as number, odd) : { ...value, [key]: odd }),
    );
  }
}
