/** The live bytes of two snapshots by stack, over one table of calls, for a difference flame graph. */
import { CALL_GROUPS, type CallGroup, type CallId, type CallPaths } from '../timeline/callPaths.js';
import type { SnapshotDigest } from '../digest/digest.js';
import type { LiveGroup } from '../digest/liveGroups.js';
import type { DigestFrame } from '../model/digestFrame.js';
import type { FrameKind } from '../attribution/frameKind.js';
import { ownerKey, shownFrame, type FileLookup, type OwnerLine } from '../attribution/owner.js';
import { getOrAdd } from '../maps.js';

/**
 * A line of a function, the same in both snapshots where the workspace knows its file. The file is empty where the call
 * is not a frame, and the line is 0 where not known.
 */
export interface ComparedCall extends OwnerLine {
  kind: FrameKind | CallGroup;
}

/** One row per distinct path of calls that holds live bytes in either snapshot. */
export interface ComparedPaths extends Omit<CallPaths, 'bytes' | 'blocks'> {
  readonly bytesA: Float64Array;
  readonly bytesB: Float64Array;
  readonly blocksA: Uint32Array;
  readonly blocksB: Uint32Array;
  /** Calls by the ids in `calls`. */
  readonly table: readonly ComparedCall[];
}

/**
 * The paths of both snapshots, all devices; `bytesA` and `bytesB` add up to their live bytes. @param folded user frames
 * only
 */
export function comparedPaths(
  a: SnapshotDigest,
  b: SnapshotDigest,
  folded: boolean,
  lookup: FileLookup,
): ComparedPaths {
  const calls = new CallIds(lookup);
  const rows = new Map<string, { path: CallId[]; bytes: [number, number]; blocks: [number, number] }>();
  [a, b].forEach((digest, side) => {
    const ids = digest.frames.map((frame) => calls.idOf(frame));
    for (const group of digest.groups) {
      const path = pathOf(group, ids, folded ? calls : null);
      const key = path.join();
      const row = getOrAdd(rows, key, () => ({ path, bytes: [0, 0], blocks: [0, 0] }));
      row.bytes[side] += group.liveBytes;
      row.blocks[side] += group.blocks;
    }
  });
  const all = [...rows.values()];
  const offset = new Uint32Array(all.length + 1);
  all.forEach(({ path }, row) => {
    offset[row + 1] = offset[row] + path.length;
  });
  return {
    count: all.length,
    offset,
    calls: Uint32Array.from(all.flatMap(({ path }) => path)),
    bytesA: Float64Array.from(all, ({ bytes }) => bytes[0]),
    bytesB: Float64Array.from(all, ({ bytes }) => bytes[1]),
    blocksA: Uint32Array.from(all, ({ blocks }) => blocks[0]),
    blocksB: Uint32Array.from(all, ({ blocks }) => blocks[1]),
    table: calls.table,
  };
}

/** The calls down to a group's allocations, outermost first; never empty. @param folding leaves out others' frames */
function pathOf(group: LiveGroup, ids: readonly CallId[], folding: CallIds | null): CallId[] {
  const { frames, forwardFrames, stackless } = group;
  const own = frames.length > 0 ? frames : forwardFrames;
  if (own.length === 0) return [CALL_GROUPS.indexOf(stackless)];
  const path = own.map((frame) => ids[frame]).reverse();
  const shown = folding === null ? path : path.filter((id) => folding.table[id].kind === 'user');
  if (shown.length === 0) shown.push(CALL_GROUPS.indexOf('anyLibrary'));
  return frames.length > 0 ? shown : [CALL_GROUPS.indexOf('backward'), ...shown];
}

/** Numbers for calls; the groups come first. */
class CallIds {
  readonly table: ComparedCall[] = CALL_GROUPS.map((kind) => ({
    kind,
    file: '',
    line: 0,
    function: '',
    mapped: false,
  }));
  private readonly known = new Map<string, CallId>();

  constructor(private readonly lookup: FileLookup) {}

  idOf(frame: DigestFrame): CallId {
    const shown = shownFrame(frame, this.lookup);
    const key = `${shown.mapped ? '+' : ''}${ownerKey(shown)}`;
    return getOrAdd(this.known, key, () => this.table.push({ ...shown, line: Math.max(0, frame.line) }) - 1);
  }
}
