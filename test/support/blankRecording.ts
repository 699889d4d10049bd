import type { RecordedChances, Recording } from '../../src/core/model/recording.js';

/** A recording without counts. */
export const UNKNOWN_CHANCES: RecordedChances = {
  loops: null,
  releases: null,
};

/** A recording of a run without observations. */
export const BLANK_RECORDING: Recording = {
  run: 'r',
  rank: null,
  worldSize: null,
  isLight: false,
  isAtEnd: false,
  stepSource: null,
  atFailure: [],
  step: null,
  takenAtUs: null,
  behindUs: [],
  stepEndsUs: [],
  collections: [],
  residentBytes: null,
  graphNodes: null,
  isSearchComplete: true,
  nextPart: null,
  devices: [],
  owners: [],
  chances: UNKNOWN_CHANCES,
  sources: [],
  commit: null,
};
