import { SnapshotError } from '../../bytes/snapshotError.js';
import type { Bytes, FrameId } from '../../model/units.js';
import { type Absent, type Snapshot, EMPTY_STACK } from '../../model/snapshot.js';
import type { SnapshotBuilder } from '../../model/snapshotBuilder.js';
import type { Ref } from '../../pickle/values.js';
import { expectFewDevices } from '../limits.js';
import { functionLines } from '../profilerFrame.js';
import { recordingWarnings } from './recordingWarnings.js';
import type { TorchSink } from './torchSink.js';
import { t } from '../../text/translate.js';
import { Growable } from '../../model/growable.js';
import { StackInterner } from '../../model/stackInterner.js';
import { fileKind } from '../fileKind.js';
import { tooManyMentions } from './torchValue.js';

const ALL_BITS = 0xffffffff;
/** Maximum number of frames of all stacks together per recorded one: generated code names some frames each. */
const MAX_GROWTH = 16;
const FREE_FRAMES = 1 << 20;

/**
 * Closes a snapshot that was read through a sink. @throws SnapshotError `notASnapshot` if the input is something else
 */
export function finishTorch(
  builder: SnapshotBuilder,
  sink: TorchSink,
  result: Ref,
  facts: { format: string; fileBytes: Bytes; link?: (snapshot: Snapshot) => void },
): Snapshot {
  const { order, traces, settings } = sink.top(result);
  // A few references could name one list of blocks a million times over, and the columns would be that long.
  if (builder.blocksIn(order) > builder.blockCount) {
    throw new SnapshotError(
      'notASnapshot',
      t('{0} names the same blocks in several segments. Dump the snapshot again.', sink.name),
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
  const warnings = recordingWarnings(ordered);
  return { ...ordered, warnings: sink.frames.namesFunctions ? [...warnings, functionLines()] : warnings };
}

/**
 * A snapshot made from a profile has one segment from the lowest to the highest address, which is not reserved memory,
 * and the sizes of blocks as requested sizes.
 */
function profile(snapshot: Snapshot): Snapshot {
  return { ...snapshot, absent: [...new Set<Absent>([...snapshot.absent, 'reserved', 'requestedSizes'])] };
}

/**
 * Puts stacks in an order that means something:
 * - Since Python 3.11 one C++ frame runs many Python calls, and PyTorch, which places one Python frame per C++ frame of
 *   the interpreter, leaves the rest behind the program's start. Such a stack is split: native frames, then Python
 *   frames, each in their own order. Stacks that end natively, as a whole one does, stay as they are.
 * - A frame of generated code that names its origin is followed by the frames of the model it was generated from.
 *
 * @param name of the input
 * @throws SnapshotError `limit` if few frames of generated code name so many that it would unfold without measure
 */
function orderStacks(snapshot: Snapshot, behind: ReadonlyMap<FrameId, readonly FrameId[]>, name: string): Snapshot {
  const { stacks, frames, strings } = snapshot;
  const isNative = new Uint8Array(frames.count);
  let anyNative = false;
  for (let frame = 0; frame < frames.count; frame++) {
    if (fileKind(strings.text(frames.file[frame])) === 'python') continue;
    isNative[frame] = 1;
    anyNative = true;
  }
  if (!anyNative && behind.size === 0) return snapshot;

  const interner = new StackInterner();
  const moved = new Uint32Array(stacks.count);
  moved[EMPTY_STACK] = EMPTY_STACK;
  const ordered = new Growable(Uint32Array);
  let anyMoved = false;
  let frameCount = 0;
  const max = MAX_GROWTH * stacks.frames.length + FREE_FRAMES;
  for (let stack = EMPTY_STACK + 1; stack < stacks.count; stack++) {
    const recorded = stacks.frames.subarray(stacks.offset[stack], stacks.offset[stack + 1]);
    ordered.length = 0;
    for (const frame of recorded) frameCount += 1 + (behind.get(frame)?.length ?? 0);
    if (frameCount > max) throw tooManyMentions(name, 'generated');
    if (isNative[recorded[recorded.length - 1]] === 1) append(ordered, recorded, behind, () => true);
    else {
      append(ordered, recorded, behind, (frame) => isNative[frame] === 1);
      append(ordered, recorded, behind, (frame) => isNative[frame] === 0);
    }
    anyMoved ||= ordered.length !== recorded.length || recorded.some((frame, i) => frame !== ordered.data[i]);
    moved[stack] = interner.intern(ordered.data, 0, ordered.length, ALL_BITS);
  }
  if (!anyMoved) return snapshot;
  const move = (column: Uint32Array): Uint32Array => column.map((stack) => moved[stack]);
  const { events, blocks, segments } = snapshot;
  return {
    ...snapshot,
    stacks: interner.take(),
    events: {
      ...events,
      stack: move(events.stack),
      forwardStack: events.forwardStack === null ? null : move(events.forwardStack),
    },
    blocks: { ...blocks, stack: move(blocks.stack) },
    segments: { ...segments, stack: move(segments.stack) },
  };
}

function append(
  ordered: Growable<Uint32Array>,
  frames: Uint32Array,
  behind: ReadonlyMap<FrameId, readonly FrameId[]>,
  wanted: (frame: FrameId) => boolean,
): void {
  for (const frame of frames) {
    if (!wanted(frame)) continue;
    ordered.push(frame);
    for (const origin of behind.get(frame) ?? []) ordered.push(origin);
  }
}
