import type { RecordedChances, Recording } from '../../src/core/model/recording.js';

/** What a recorder says that counted nothing. */
export const UNKNOWN_CHANCES: RecordedChances = {
  loops: null,
  releases: null,
};

/** What the recorder says of a run of which it saw nothing. */
export const BLANK_RECORDING: Recording = {
  run: 'r',
  rank: null,
  worldSize: null,
  isLight: false,
  step: null,
  takenAtUs: null,
  behindUs: [],
  stepEndsUs: [],
  collections: [],
  devices: [],
  owners: [],
  chances: UNKNOWN_CHANCES,
  sources: [],
  commit: null,
};
