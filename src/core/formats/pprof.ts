import type { ByteSource } from '../bytes/byteSource.js';
import { readFully } from '../bytes/readFully.js';
import { LimitError } from '../bytes/limitError.js';
import { SnapshotError } from '../bytes/snapshotError.js';
import { BlockState, EMPTY_STACK, NO_INDEX, UNKNOWN_LINE } from '../model/snapshot.js';
import { SnapshotBuilder } from '../model/snapshotBuilder.js';
import type { StackId } from '../model/units.js';
import { expectFewDevices } from './deviceCount.js';
import type { Format } from './format.js';
import { parseProfile, type ProfileFrame, type ProfileSample } from './pprof/profile.js';
import type { ReadResult } from './readResult.js';
import { t } from '../text/translate.js';

/** Profiles hold one sample per stack: kilobytes. */
const MAX_BYTES = 1 << 26;
const ALL_BITS = 0xffffffff;

/**
 * JAX's device memory profile (a pprof `Profile`): live bytes by stack, without times, addresses or single allocations.
 */
export const pprof: Format = {
  id: 'pprof',
  // A `sample_type` of two small numbers: fields 1 and 2, indices of texts.
  sniff: (head) => head.length >= 6 && head[0] === 0x0a && head[1] === 4 && head[2] === 0x08 && head[4] === 0x10,
  read,
};

async function read(source: ByteSource): Promise<ReadResult> {
  const bytes = await readFully(source, 0, Math.min(MAX_BYTES + 1, source.size));
  if (bytes.length > MAX_BYTES) {
    throw new LimitError(
      { kind: 'profileBytes', most: MAX_BYTES, asked: null, offset: null },
      t(
        '{0} is a profile of more than {1} bytes, more than Leakline reads. Save a smaller one.',
        source.name,
        MAX_BYTES,
      ),
    );
  }
  const { types, samples } = parseProfile(bytes, source.name);
  const space = types.indexOf('space');
  if (space < 0) {
    throw new SnapshotError(
      'unsupported',
      t(
        '{0} is a profile of {1}, not of memory. ' + 'Save one with jax.profiler.save_device_memory_profile.',
        source.name,
        types.join(', ') || t('nothing'),
      ),
    );
  }
  const allocations = types.indexOf('allocations');
  const builder = new SnapshotBuilder();
  const held = heldByDevice(samples, space);
  expectFewDevices(source.name, held.keys());
  const order = [...held]
    .sort((a, b) => a[0] - b[0])
    .map(([device, own]) => addDevice(builder, device, own, space, allocations));
  const snapshot = builder.finish({
    format: pprof.id,
    fileBytes: source.size,
    traces: [],
    order,
    settings: null,
    warnings: [],
    absent: ['requestedSizes', 'addresses', 'reserved'],
  });
  return { kind: 'snapshot', snapshot };
}

/** JAX counts compiled programs too, with no bytes: they are left out. */
function heldByDevice(samples: readonly ProfileSample[], space: number): Map<number, ProfileSample[]> {
  const byDevice = new Map<number, ProfileSample[]>();
  for (const sample of samples) {
    if ((sample.values[space] ?? 0) <= 0) continue;
    const device = Number(/(\d+)$/.exec(sample.labels.get('device') ?? '')?.[1] ?? 0);
    const held = byDevice.get(device);
    if (held === undefined) byDevice.set(device, [sample]);
    else held.push(sample);
  }
  return byDevice;
}

/** @returns the segment that stands for all that a device holds */
function addDevice(
  builder: SnapshotBuilder,
  device: number,
  held: readonly ProfileSample[],
  space: number,
  allocations: number,
): number {
  const firstBlock = builder.blockCount;
  let totalSize = 0;
  for (const { frames, values } of held) {
    totalSize += values[space];
    builder.addBlock({
      addrLow: 0,
      addrHigh: 0,
      size: values[space],
      requestedSize: 0,
      state: BlockState.Allocated,
      stack: stackOf(builder, frames),
      capture: NO_INDEX,
      multiplicity: Math.max(1, values[allocations] ?? 1),
    });
  }
  return builder.addStandInSegment(device, firstBlock, totalSize);
}

function stackOf({ strings, frames, stacks }: SnapshotBuilder, profile: readonly ProfileFrame[]): StackId {
  if (profile.length === 0) return EMPTY_STACK;
  const ids = Uint32Array.from(profile, ({ name, file, line }) =>
    frames.intern(strings.internText(name), strings.internText(file), line > 0 ? line : UNKNOWN_LINE),
  );
  return stacks.intern(ids, 0, ids.length, ALL_BITS);
}
