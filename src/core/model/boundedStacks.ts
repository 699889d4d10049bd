import { SMALLER_STACKS } from './recordedFile.js';
import { EMPTY_STACK, UNKNOWN_LINE, type FrameTable, type Snapshot, type StackTable } from './snapshot.js';
import type { StringPool } from './stringPool.js';
import type { Bytes, StackId } from './units.js';

/** A real program has some thousands of stacks; each takes some kilobytes of a report. */
const MAX_STACKS = 1 << 15;
/** Maximum number of frames that stacks name, in total. */
const MAX_FRAMES = 1 << 17;

/**
 * The stacks of a snapshot, at most so many: those with the most bytes stay, and all others become one stack of a frame
 * that is called {@link SMALLER_STACKS}. The columns then name it instead, so no sum changes. Frames keep their number.
 */
export function boundedStacks(
  { stacks, frames, events, blocks, segments }: Pick<Snapshot, 'stacks' | 'frames' | 'events' | 'blocks' | 'segments'>,
  strings: StringPool,
  maxStacks = MAX_STACKS,
  maxFrames = MAX_FRAMES,
): { stacks: StackTable; frames: FrameTable; omitted: number } {
  if (stacks.count <= maxStacks && frames.count <= maxFrames) return { stacks, frames, omitted: 0 };
  const bytes = new Float64Array(stacks.count);
  const add = (of: ArrayLike<StackId>, size: ArrayLike<Bytes>): void => {
    for (let i = 0; i < of.length; i++) bytes[of[i]] += size[i];
  };
  add(events.stack, events.size);
  add(events.forwardStack ?? [], events.size);
  add(blocks.stack, blocks.size);
  const framesOf = (stack: StackId): Uint32Array =>
    stacks.frames.subarray(stacks.offset[stack], stacks.offset[stack + 1]);

  const stays = new Uint8Array(stacks.count).fill(1, 0, EMPTY_STACK + 1);
  const isNamed = new Uint8Array(frames.count);
  let [stacksLeft, framesLeft] = [maxStacks, maxFrames];
  const largestFirst = Uint32Array.from(bytes, (_, stack) => stack)
    .subarray(EMPTY_STACK + 1)
    .sort((a, b) => bytes[b] - bytes[a] || a - b);
  for (const stack of largestFirst) {
    const own = framesOf(stack);
    let added = 0;
    for (const frame of own) added += 1 - isNamed[frame];
    if (added > framesLeft || stacksLeft === 0) continue;
    own.forEach((frame) => (isNamed[frame] = 1));
    stays[stack] = 1;
    framesLeft -= added;
    stacksLeft--;
  }

  const kept = Uint32Array.from(bytes, (_, stack) => stack).filter((stack) => stays[stack] === 1);
  const omitted = stacks.count - kept.length;
  if (omitted === 0) return { stacks, frames, omitted };
  const moved = new Uint32Array(stacks.count).fill(kept.length);
  const offset = new Uint32Array(kept.length + 2);
  kept.forEach((stack, i) => {
    moved[stack] = i;
    offset[i + 1] = offset[i] + framesOf(stack).length;
  });
  const length = offset[kept.length] + 1;
  offset[kept.length + 1] = length;
  const ids = new Uint32Array(length).fill(frames.count);
  kept.forEach((stack, i) => {
    ids.set(framesOf(stack), offset[i]);
  });
  for (const column of [events.stack, events.forwardStack, blocks.stack, segments.stack])
    column?.forEach((stack, row) => (column[row] = moved[stack]));

  const smaller = strings.internText(SMALLER_STACKS);
  const count = frames.count + 1;
  return {
    stacks: { count: kept.length + 1, offset, frames: ids },
    frames: {
      count,
      name: Uint32Array.from({ length: count }, (_, frame) => (isNamed[frame] === 1 ? frames.name[frame] : smaller)),
      file: Uint32Array.from({ length: count }, (_, frame) => (isNamed[frame] === 1 ? frames.file[frame] : smaller)),
      line: Int32Array.from({ length: count }, (_, frame) =>
        isNamed[frame] === 1 ? frames.line[frame] : UNKNOWN_LINE,
      ),
    },
    omitted,
  };
}
