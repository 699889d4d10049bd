import type { Snapshot } from './snapshot.js';
import type { FrameId } from './units.js';

/** A frame in words. */
export interface DigestFrame {
  file: string;
  /** 1-based, -1 where not known. */
  line: number;
  function: string;
}

/** Puts a frame of a snapshot into words. */
export function frameOf({ frames, strings }: Snapshot, frame: FrameId): DigestFrame {
  return {
    file: strings.text(frames.file[frame]),
    line: frames.line[frame],
    function: strings.text(frames.name[frame]),
  };
}
