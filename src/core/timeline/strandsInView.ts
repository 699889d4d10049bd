import type { Stretch } from '../model/historyAxis.js';
import type { StrandSeries } from './strandSeries.js';

/** By position among the series: 1 where some of the series lies between two heights at some sample. */
export function strandsInView({ offset, sample, bytes }: StrandSeries, samples: number, view: Stretch): Uint8Array {
  const inView = new Uint8Array(offset.length - 1);
  const floors = new Float64Array(samples);
  for (let strand = 0; strand < inView.length; strand++) {
    for (let at = offset[strand]; at < offset[strand + 1]; at++) {
      const until = at + 1 < offset[strand + 1] ? sample[at + 1] : samples;
      for (let i = sample[at]; i < until; i++) {
        const top = floors[i] + bytes[at];
        if (bytes[at] > 0 && floors[i] < view.to && top > view.from) inView[strand] = 1;
        floors[i] = top;
      }
    }
  }
  return inView;
}
