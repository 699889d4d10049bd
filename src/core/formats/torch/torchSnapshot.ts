import { SnapshotError } from '../../bytes/snapshotError.js';
import type { Bytes } from '../../model/units.js';
import type { Snapshot } from '../../model/snapshot.js';
import type { SnapshotBuilder } from '../../model/snapshotBuilder.js';
import type { Ref } from '../../pickle/values.js';
import { expectFewDevices } from '../deviceCount.js';
import { recordingWarnings } from './recordingWarnings.js';
import { orderStacks } from './stackOrder.js';
import type { TorchSink } from './torchSink.js';
import { say } from '../../text/say.js';

/**
 * Closes a snapshot that was read through a sink.
 * @throws SnapshotError `notASnapshot` if the input was something else
 */
export function finishTorch(
  builder: SnapshotBuilder,
  sink: TorchSink,
  result: Ref,
  facts: { format: string; fileBytes: Bytes },
): Snapshot {
  const { order, traces, settings } = sink.top(result);
  // A few references could name one list of blocks a million times over, and the columns would be that long.
  if (builder.blocksIn(order) > builder.blockCount) {
    throw new SnapshotError(
      'notASnapshot',
      say('{0} names the same blocks in several segments. Dump the snapshot again.', sink.name),
    );
  }
  expectFewDevices(sink.name, [...traces.map(({ device }) => device), ...builder.devicesOf(order)]);
  const snapshot = builder.finish({
    ...facts,
    traces,
    order,
    settings,
    warnings: [],
    absent: sink.segments.lacksRequestedSizes ? ['requestedSizes'] : [],
  });
  const ordered = orderStacks(
    snapshot.events.category === null ? snapshot : profile(snapshot),
    sink.frames.behind,
    sink.name,
  );
  return { ...ordered, warnings: recordingWarnings(ordered) };
}

/** What PyTorch makes of a profile has one segment from the lowest to the highest address: that is not reserved memory. */
function profile(snapshot: Snapshot): Snapshot {
  return { ...snapshot, absent: [...snapshot.absent, 'reserved'] };
}
