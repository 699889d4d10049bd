import { getOrAdd } from '../maps.js';
import type { FrameTable } from './snapshot.js';
import type { StringPool } from './stringPool.js';
import type { Bytes, StringId } from './units.js';

/** Names of all frames together: a file holds a name once that stands in a million frames, and in as many lines of a report. */
const MAX_NAMES: Bytes = 1 << 23;
/** More than so often the bytes of all texts: names of a real program stand in few lines each. */
const MAX_MENTIONS = 2;
/** No name is shortened beyond this. */
const SHORTEST: Bytes = 120;

/** Returns the frames with shortened names, so that all fit. */
export function boundedNames(frames: FrameTable, strings: StringPool, free = MAX_NAMES): FrameTable {
  const max = Math.max(free, MAX_MENTIONS * strings.utf8().bytes.length);
  let bytes = 0;
  for (let frame = 0; frame < frames.count; frame++)
    bytes += strings.lengthOf(frames.name[frame]) + strings.lengthOf(frames.file[frame]);
  if (bytes <= max) return frames;
  const each = Math.max(SHORTEST, Math.floor(max / (2 * frames.count)));
  const short = new Map<StringId, StringId>();
  const shorten = (id: StringId): StringId => getOrAdd(short, id, () => strings.shortened(id, each));
  return { ...frames, name: frames.name.map(shorten), file: frames.file.map(shorten) };
}
