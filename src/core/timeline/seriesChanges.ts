/** From `sample[c]` on, `bytes[c]` are live; before the first, none. */
export interface SeriesChanges {
  offset: Uint32Array;
  sample: Uint16Array;
  bytes: Float64Array;
}
