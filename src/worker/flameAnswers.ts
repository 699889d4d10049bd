/** Answers questions about what is live by call. */
import { CALL_GROUPS, callKind, livePaths, type CallId } from '../core/analysis/callPaths.js';
import { callTree, type CallTree } from '../core/analysis/callTree.js';
import type { FileLookup } from '../core/analysis/owner.js';
import { trendHistory } from '../core/analysis/trendHistory.js';
import type { DeviceHistory } from '../core/analysis/history.js';
import type { Snapshot } from '../core/model/snapshot.js';
import type { Flame, FlameCall, FlameQuery } from '../protocol/flameData.js';
import type { SnapshotStore } from './snapshotStore.js';
import type { WorkspaceFiles } from './workspaceFiles.js';

/** Characters of a file or function name; what is longer keeps its end or its beginning. */
const LONGEST_NAME = 240;
/** Characters of all names in an answer. */
const ROOM_FOR_NAMES = 30_000;

export class FlameAnswers {
  constructor(
    private readonly store: SnapshotStore,
    private readonly workspace: WorkspaceFiles,
  ) {}

  async flame(query: FlameQuery, signal: AbortSignal): Promise<Flame> {
    const { path, device, folded } = query;
    const trend = this.store.trend(path);
    const history = trend === null ? await this.store.history(path, device, signal) : trendHistory(trend, device);
    const event = Math.min(Math.max(-1, Math.trunc(query.event)), history.trace.count - 1);
    const timeUs = history.startUs === null ? null : history.startUs + (history.time?.[Math.max(0, event)] ?? 0);
    const at = { path, device, event, timeUs, folded, liveBytes: history.live[event + 1] };
    if (trend !== null) return { ...at, ...withoutCalls(at.liveBytes) };
    const snapshot = await this.store.snapshot(path, signal);
    const lookup = this.workspace.lookupFor(snapshot, this.store.digests);
    return { ...at, ...answer(snapshot, history, { ...query, event }, lookup) };
  }
}

type Calls = Pick<Flame, 'focus' | 'calls' | 'tree'>;

function answer(snapshot: Snapshot, history: DeviceHistory, query: FlameQuery, lookup: FileLookup): Calls {
  const words = new CallWords(snapshot, lookup);
  const known = snapshot.frames.count + CALL_GROUPS.length;
  for (const call of query.focus) if (call < known) words.admit(call);
  const paths = livePaths(snapshot, history, query.event, query.folded, lookup);
  const { tree, focus } = callTree(paths, { ...query, admits: (call) => words.admit(call) });
  return {
    focus: focus.map(({ call, bytes }) => ({ call: words.indexOf(call), bytes })),
    tree: { ...tree, call: tree.call.map((call, row) => (isCall(tree, focus.length, row) ? words.indexOf(call) : 0)) },
    calls: words.calls,
  };
}

/** False for merged rows, and for the root of everything. */
function isCall(tree: CallTree, focused: number, row: number): boolean {
  return tree.merged[row] === 0 && (row > 0 || focused > 0);
}

/** The answer for an input that tells sums only. */
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

/** The calls of an answer in words, as many as there is room for. */
class CallWords {
  readonly calls: FlameCall[] = [];
  private readonly indices = new Map<CallId, number>();
  private room = ROOM_FOR_NAMES;

  constructor(
    private readonly snapshot: Snapshot,
    private readonly lookup: FileLookup,
  ) {}

  /** Takes room for a call's words; false if there is none. */
  admit(call: CallId): boolean {
    if (this.indices.has(call)) return true;
    const words = this.wordsOf(call);
    const length = words.file.length + words.function.length;
    if (length > this.room) return false;
    this.room -= length;
    this.add(call, words);
    return true;
  }

  /** Where a call's words are in `calls`; without names if there was no room for them. */
  indexOf(call: CallId): number {
    const known = this.indices.get(call);
    return known ?? this.add(call, { ...this.wordsOf(call), file: '', line: 0, function: '', mapped: false });
  }

  private add(call: CallId, words: FlameCall): number {
    this.indices.set(call, this.calls.length);
    return this.calls.push(words) - 1;
  }

  private wordsOf(call: CallId): FlameCall {
    const { frames, strings } = this.snapshot;
    const group = CALL_GROUPS[call - frames.count] as (typeof CALL_GROUPS)[number] | undefined;
    if (group !== undefined) return { id: call, kind: group, file: '', line: 0, function: '', mapped: false };
    const recorded = strings.text(frames.file[call]);
    const mapped = this.lookup(recorded);
    return {
      id: call,
      kind: callKind(this.snapshot, call, this.lookup),
      // Who keeps its end can still be told by its name.
      file: (mapped ?? recorded).slice(-LONGEST_NAME),
      line: Math.max(0, frames.line[call]),
      function: strings.text(frames.name[call]).slice(0, LONGEST_NAME),
      mapped: mapped !== null && mapped.length <= LONGEST_NAME,
    };
  }
}
