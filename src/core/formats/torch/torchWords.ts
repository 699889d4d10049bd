import { Action } from '../../model/snapshot.js';

/** Texts with a meaning, by the id that they get in every snapshot's string pool: they are interned first, in order. */
export const enum Word {
  empty,
  action,
  addr,
  size,
  stream,
  time_us,
  frames,
  forward_frames,
  device_free,
  name,
  filename,
  line,
  address,
  requested_size,
  state,
  device,
  total_size,
  segment_type,
  segment_pool_id,
  is_expandable,
  blocks,
  segments,
  device_traces,
  allocator_settings,
  external_annotations,
  stage,
  alloc,
  free_requested,
  free_completed,
  segment_alloc,
  segment_free,
  segment_map,
  segment_unmap,
  snapshot,
  oom,
  active_allocated,
  active_pending_free,
  inactive,
  small,
  START,
  history,
  real_size,
  cpp_frames,
  none,
  fx_original_trace,
  category,
  user_metadata,
  compile_context,
  not_available,
}

const TEXTS: Record<Word, string> = {
  [Word.empty]: '',
  [Word.action]: 'action',
  [Word.addr]: 'addr',
  [Word.size]: 'size',
  [Word.stream]: 'stream',
  [Word.time_us]: 'time_us',
  [Word.frames]: 'frames',
  [Word.forward_frames]: 'forward_frames',
  [Word.device_free]: 'device_free',
  [Word.name]: 'name',
  [Word.filename]: 'filename',
  [Word.line]: 'line',
  [Word.address]: 'address',
  [Word.requested_size]: 'requested_size',
  [Word.state]: 'state',
  [Word.device]: 'device',
  [Word.total_size]: 'total_size',
  [Word.segment_type]: 'segment_type',
  [Word.segment_pool_id]: 'segment_pool_id',
  [Word.is_expandable]: 'is_expandable',
  [Word.blocks]: 'blocks',
  [Word.segments]: 'segments',
  [Word.device_traces]: 'device_traces',
  [Word.allocator_settings]: 'allocator_settings',
  [Word.external_annotations]: 'external_annotations',
  [Word.stage]: 'stage',
  [Word.alloc]: 'alloc',
  [Word.free_requested]: 'free_requested',
  [Word.free_completed]: 'free_completed',
  [Word.segment_alloc]: 'segment_alloc',
  [Word.segment_free]: 'segment_free',
  [Word.segment_map]: 'segment_map',
  [Word.segment_unmap]: 'segment_unmap',
  [Word.snapshot]: 'snapshot',
  [Word.oom]: 'oom',
  [Word.active_allocated]: 'active_allocated',
  [Word.active_pending_free]: 'active_pending_free',
  [Word.inactive]: 'inactive',
  [Word.small]: 'small',
  [Word.START]: 'START',
  [Word.history]: 'history',
  [Word.real_size]: 'real_size',
  [Word.cpp_frames]: 'cpp_frames',
  [Word.none]: 'none',
  [Word.fx_original_trace]: 'fx_original_trace',
  [Word.category]: 'category',
  [Word.user_metadata]: 'user_metadata',
  [Word.compile_context]: 'compile_context',
  [Word.not_available]: 'N/A',
};

/** The texts in the order of their ids. */
export const WORDS: readonly string[] = Object.keys(TEXTS)
  .map(Number)
  .sort((a, b) => a - b)
  .map((id) => TEXTS[id as Word]);

/** The action of a trace entry by the id of its word; {@link Action.Other} for unknown words. */
const ACTIONS = new Uint8Array(WORDS.length).fill(Action.Other);
ACTIONS[Word.alloc] = Action.Alloc;
ACTIONS[Word.free_requested] = Action.FreeRequested;
ACTIONS[Word.free_completed] = Action.FreeCompleted;
ACTIONS[Word.segment_alloc] = Action.SegmentAlloc;
ACTIONS[Word.segment_free] = Action.SegmentFree;
ACTIONS[Word.segment_map] = Action.SegmentMap;
ACTIONS[Word.segment_unmap] = Action.SegmentUnmap;
ACTIONS[Word.snapshot] = Action.Snapshot;
ACTIONS[Word.oom] = Action.OutOfMemory;

/** The action of a trace entry by the id of its word. */
export function actionOf(word: number): Action {
  return word < ACTIONS.length ? ACTIONS[word] : Action.Other;
}
