import type { RecordedOwner } from '../../src/core/model/recording.js';

/** What an owner has of which the recorder saw nothing. */
export const BLANK_OWNER: Omit<RecordedOwner, 'kind' | 'name' | 'place' | 'bytes'> = {
  graphBytes: 0,
  allocatedSteps: null,
  container: null,
  items: null,
  isDirect: true,
  outlivesLoops: false,
  staleKeys: null,
  pinnedBy: null,
  custody: null,
  releases: null,
  also: [],
  allocatedAt: [],
};
