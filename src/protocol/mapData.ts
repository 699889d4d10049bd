/** The segments of a device and their blocks at an instant, within the size of a picture. */
import type { MapPieces, MappedSegment, PieceKind, SegmentSums } from '../core/timeline/memoryMap.js';
import type { Bytes, Microseconds } from '../core/model/units.js';
import type { BandOwner } from './bandData.js';
import type { OfDevice } from './timelineData.js';

export type { PieceKind };

/** The targets of indices in `pieces.kind`. */
export const PIECES = ['live', 'pending', 'free', 'mixed', 'unknown'] as const satisfies readonly PieceKind[];

export interface MapQuery extends OfDevice {
  /** Ordinal in the device's trace: the state after this event. -1 is the state before the first. */
  event: number;
  /** Width of a row. */
  pixels: number;
  /** Over so many rows all segments are drawn. */
  rows: number;
  /** Address of the segment that fills a row alone; null for all. */
  only: string | null;
  /** The change of the program or its settings with which memory is laid out; null as recorded. */
  changed: { change: string; capacity: Bytes | null } | null;
}

export interface MemoryMapAnswer extends OfDevice {
  event: number;
  timeUs: Microseconds | null;
  /** True where the snapshot itself has the blocks; else they are replayed backwards from there. */
  isEnd: boolean;
  /** Live bytes that the replay finds no place for: the trace does not add up there. */
  unplacedBytes: Bytes;
  /** The change with which memory is laid out, in a few words; null as recorded. */
  changedName: string | null;
  /** Address of the only shown segment; null if all are shown, or if it is gone. */
  only: string | null;
  /** False if the input has no addresses of blocks: the rest is empty. */
  hasPlaces: boolean;
  total: SegmentSums;
  /** Pools by stream and kind, the largest first. */
  pools: MapPool[];
  /** The largest segments, the largest first. */
  segments: MapSegment[];
  /** The segments that are not listed. */
  others: SegmentSums;
  /** `block` holds indices into `owners`, or `NO_OWNER`. */
  pieces: MapPieces;
  owners: MapOwner[];
}

/** In `pieces.block`: without an owner, or there was no room to name it. */
export const NO_OWNER = 0xffffffff;

export interface MapSegment extends MappedSegment {
  /** Start address, as `0x7f2a40000000`. */
  address: string;
  /** Index into `pools`. */
  pool: number;
}

export interface MapPool extends SegmentSums {
  /** `0,0` is the default pool; null if unknown. */
  pool: string | null;
  stream: string;
  kind: 'small' | 'large' | 'expandable';
}

export interface MapOwner extends BandOwner {
  /** Who called whom, innermost first. */
  calls: string;
}
