import type { ByteSource } from '../bytes/byteSource.js';
import { readFully } from '../bytes/readFully.js';
import { SnapshotError } from '../bytes/snapshotError.js';
import { BlockState, EMPTY_STACK, NO_INDEX, NO_STACK } from '../model/snapshot.js';
import { SnapshotBuilder } from '../model/snapshotBuilder.js';
import type { Format } from './format.js';
import { fields, numbersOf, type Field } from './pprof/protobuf.js';
import type { ReadResult } from './readResult.js';

/** Profiles hold one sample per stack: kilobytes. */
const MAX_BYTES = 1 << 28;
const FORMAT = 'pprof';
const ALL_BITS = 0xffffffff;

/**
 * JAX's device memory profile (a pprof `Profile`): what is held, by stack. It knows neither times nor addresses nor
 * single allocations: a row stands for all of a stack.
 */
export const pprof: Format = {
  id: FORMAT,
  // A `sample_type` of two small numbers: fields 1 and 2, indices of strings.
  sniff: (head) => head.length >= 6 && head[0] === 0x0a && head[1] === 4 && head[2] === 0x08 && head[4] === 0x10,
  read,
};

interface Location {
  /** Function and line, innermost of inlined calls first. */
  lines: readonly { function: number; line: number }[];
}

interface Sample {
  locations: readonly number[];
  values: readonly number[];
  labels: ReadonlyMap<string, string>;
}

async function read(source: ByteSource): Promise<ReadResult> {
  const bytes = await readFully(source, 0, Math.min(MAX_BYTES + 1, source.size));
  if (bytes.length > MAX_BYTES) {
    throw new SnapshotError(
      'limit',
      `${source.name} is a profile of more than ${MAX_BYTES} bytes, more than Leakline reads. Save a smaller one.`,
    );
  }
  const top = fields(bytes, source.name);
  const decoder = new TextDecoder();
  const texts = top.filter((field) => field.id === 6).map((field) => decoder.decode(field.bytes));
  const text = (index: number): string => texts[index] ?? '';
  const inner = (id: number): Field[][] =>
    top.filter((field) => field.id === id).map((field) => fields(field.bytes, source.name));

  const types = inner(1).map((type) => text(numberIn(type, 1)));
  const space = types.indexOf('space');
  const count = types.indexOf('allocations');
  if (space < 0) {
    throw new SnapshotError(
      'unsupported',
      `${source.name} is a profile of ${types.join(', ') || 'nothing'}, not of memory. ` +
        'Save one with jax.profiler.save_device_memory_profile.',
    );
  }
  const locations = new Map<number, Location>(
    inner(4).map((location) => [
      numberIn(location, 1),
      {
        lines: location
          .filter((field) => field.id === 4)
          .map((field) => fields(field.bytes, source.name))
          .map((line) => ({ function: numberIn(line, 1), line: numberIn(line, 2) })),
      },
    ]),
  );
  const functions = new Map(
    inner(5).map((entry) => [numberIn(entry, 1), { name: text(numberIn(entry, 2)), file: text(numberIn(entry, 4)) }]),
  );
  const samples = inner(2).map((sample): Sample => ({
    locations: numbersOf(sample, 1),
    values: numbersOf(sample, 2),
    labels: new Map(
      sample
        .filter((field) => field.id === 3)
        .map((field) => fields(field.bytes, source.name))
        .map((label) => [text(numberIn(label, 1)), text(numberIn(label, 2))]),
    ),
  }));

  const builder = new SnapshotBuilder();
  const stackOf = (sample: Sample): number => {
    const frames = sample.locations.flatMap((id) =>
      (locations.get(id)?.lines ?? []).map((line) => {
        const callee = functions.get(line.function) ?? { name: '', file: '' };
        const { strings } = builder;
        return builder.frames.intern(strings.internText(callee.name), strings.internText(callee.file), line.line || -1);
      }),
    );
    return frames.length === 0
      ? EMPTY_STACK
      : builder.stacks.intern(Uint32Array.from(frames), 0, frames.length, ALL_BITS);
  };
  const byDevice = new Map<number, Sample[]>();
  for (const sample of samples) {
    if ((sample.values[space] ?? 0) <= 0) continue;
    const device = Number(/(\d+)$/.exec(sample.labels.get('device') ?? '')?.[1] ?? 0);
    byDevice.set(device, [...(byDevice.get(device) ?? []), sample]);
  }
  const order: number[] = [];
  for (const [device, held] of [...byDevice].sort((a, b) => a[0] - b[0])) {
    const firstBlock = builder.blockCount;
    let total = 0;
    for (const sample of held) {
      const size = sample.values[space];
      total += size;
      builder.addBlock({
        addrLow: 0,
        addrHigh: 0,
        size,
        requestedSize: 0,
        state: BlockState.Allocated,
        stack: stackOf(sample),
        capture: NO_INDEX,
        multiplicity: Math.max(1, sample.values[count] ?? 1),
      });
    }
    order.push(
      builder.addSegment({
        device,
        addrLow: 0,
        addrHigh: 0,
        totalSize: total,
        stream: 0,
        isSmall: false,
        isExpandable: false,
        pool: 0,
        stack: NO_STACK,
        firstBlock,
        blockCount: builder.blockCount - firstBlock,
      }),
    );
  }
  const snapshot = builder.finish({
    format: FORMAT,
    fileBytes: source.size,
    traces: [],
    order,
    settings: null,
    warnings: [],
    absent: ['requestedSizes', 'addresses', 'reserved'],
  });
  return { kind: 'snapshot', snapshot };
}

function numberIn(message: readonly Field[], id: number): number {
  return message.find((field) => field.id === id)?.value ?? 0;
}
