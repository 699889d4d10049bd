import type { Stretch } from '../model/historyAxis.js';

/** Changes of series: `bytes[c]` are live from `sample[c]` on, and nothing before the first. */
export interface SeriesChanges {
  offset: Uint32Array;
  sample: Uint16Array;
  bytes: Float64Array;
}

/** For each series, 1 if a part of it lies between two heights at any sample. */
export function seriesInView({ offset, sample, bytes }: SeriesChanges, samples: number, view: Stretch): Uint8Array {
  const inView = new Uint8Array(offset.length - 1);
  const floors = new Float64Array(samples);
  for (let series = 0; series < inView.length; series++) {
    for (let at = offset[series]; at < offset[series + 1]; at++) {
      const until = at + 1 < offset[series + 1] ? sample[at + 1] : samples;
      for (let i = sample[at]; i < until; i++) {
        const top = floors[i] + bytes[at];
        if (bytes[at] > 0 && floors[i] < view.to && top > view.from) inView[series] = 1;
        floors[i] = top;
      }
    }
  }
  return inView;
}
