/** Answers questions on live memory by call. */
import { CALL_GROUPS, livePaths, meanPaths, type CallId, type CallPaths } from '../core/timeline/callPaths.js';
import { callTree } from '../core/timeline/callTree.js';
import { shownFrame, type FileLookup } from '../core/attribution/owner.js';
import { frameOf } from '../core/model/digestFrame.js';
import { HistoryAxis, type Stretch } from '../core/model/historyAxis.js';
import type { Snapshot } from '../core/model/snapshot.js';
import type { Flame, FlameCall, FlameQuery } from '../protocol/flameData.js';
import { CallNames } from './callNames.js';
import type { SnapshotStore } from './snapshotStore.js';
import type { WorkspaceFiles } from './workspaceFiles.js';
import type { Bytes } from '../core/model/units.js';
import { momentOf, type DeviceHistory } from '../core/model/history.js';

export class FlameAnswers {
  constructor(
    private readonly store: SnapshotStore,
    private readonly workspace: WorkspaceFiles,
  ) {}

  async flame(query: FlameQuery, signal: AbortSignal): Promise<Flame> {
    const { path, device, folded } = query;
    const { trend, history } = await this.store.anyHistory(path, device, signal);
    const { event, timeUs } = momentOf(history, query.event);
    const axis = new HistoryAxis(history, query.over?.axis ?? 'time');
    const stretch = query.over === null ? null : axis.window(query.over.window);
    const liveBytes = stretch === null ? history.live[event + 1] : meanLive(history, axis, stretch);
    const over = stretch === null ? null : { axis: axis.axis, ...stretch };
    const at = { path, device, event, timeUs, over, liveBytes };
    if (trend !== null) return { ...at, ...withoutCalls(liveBytes) };
    const snapshot = await this.store.snapshot(path, signal);
    const lookup = this.workspace.lookupFor(snapshot, this.store.digests);
    const paths =
      stretch === null
        ? livePaths(snapshot, history, event, folded, lookup)
        : meanPaths(snapshot, history, axis, stretch, folded, lookup);
    return { ...at, ...answer(snapshot, paths, query, lookup) };
  }
}

type Calls = Pick<Flame, 'focus' | 'calls' | 'tree'>;

function answer(snapshot: Snapshot, paths: CallPaths, query: FlameQuery, lookup: FileLookup): Calls {
  const names = new CallNames((call) => callOf(snapshot, call, lookup));
  const known = snapshot.frames.count + CALL_GROUPS.length;
  for (const call of query.focus) if (call < known) names.admit(call);
  const { tree, focus } = callTree(paths, { ...query, admits: (call) => names.admit(call) });
  return {
    focus: focus.map(({ call, bytes }) => ({ call: names.indexOf(call), bytes })),
    tree: { ...tree, call: names.indicesOf(tree, focus.length) },
    calls: names.calls,
  };
}

/** The answer for an input with sums only. */
function withoutCalls(liveBytes: number): Calls {
  const none = { id: 0, kind: 'noStack', file: '', line: 0, function: '', mapped: false } as const;
  const tree = {
    parent: Uint32Array.of(0, 0),
    call: Uint32Array.of(0, 0),
    bytes: Float64Array.of(liveBytes, liveBytes),
    self: Float64Array.of(0, liveBytes),
    blocks: Uint32Array.of(0, 0),
    merged: Uint32Array.of(0, 0),
  };
  return { focus: [], calls: [none], tree };
}

/** A call with its names. */
function callOf(snapshot: Snapshot, call: CallId, lookup: FileLookup): FlameCall {
  const { frames } = snapshot;
  const group = CALL_GROUPS[call - frames.count] as (typeof CALL_GROUPS)[number] | undefined;
  if (group !== undefined) return { id: call, kind: group, file: '', line: 0, function: '', mapped: false };
  return { id: call, ...shownFrame(frameOf(snapshot, call), lookup), line: Math.max(0, frames.line[call]) };
}

/** The mean of the live bytes over a stretch of an axis, which is not empty. */
export function meanLive({ live, trace }: DeviceHistory, axis: HistoryAxis, stretch: Stretch): Bytes {
  const { first, end } = axis.eventsIn(stretch);
  let sum = 0;
  let from = stretch.from;
  for (let ordinal = first; ordinal < Math.min(end, trace.count); ordinal++) {
    const at = Math.min(Math.max(axis.xOf(ordinal), stretch.from), stretch.to);
    sum += live[ordinal] * (at - from);
    from = at;
  }
  return (sum + live[Math.min(end, trace.count)] * (stretch.to - from)) / (stretch.to - stretch.from);
}
