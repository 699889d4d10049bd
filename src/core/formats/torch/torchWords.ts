import { Action } from '../../model/snapshot.js';

/** Texts with a meaning, by the id that they get in every snapshot's string pool: they are interned first, in order. */
export enum Word {
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

/** Texts that are no names of members. */
const OTHER_TEXTS = new Map([
  [Word[Word.empty], ''],
  [Word[Word.not_available], 'N/A'],
]);

/** The texts in the order of their ids, in which an enum lists the names of its members. */
export const WORDS: readonly string[] = Object.values(Word)
  .filter((member) => typeof member === 'string')
  .map((name) => OTHER_TEXTS.get(name) ?? name);

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
