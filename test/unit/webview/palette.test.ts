import assert from 'node:assert/strict';
import type { Bands, BandSeries } from '../../../src/protocol/bandData.js';
import { paintsOf, type Rgb } from '../../../webview/layer/palette.js';
import type { StackedBands } from '../../../webview/model/stackedBands.js';

const THEMES = [
  { background: '#1f1f1f', leak: '#f48771' },
  { background: '#ffffff', leak: '#a1260d' },
  { background: '#000000', leak: '#ff8f80' },
];
/** Less is one color to a glance. */
const MIN_APART = 14;

/** Series, each in a group of its own. */
function stackOf(all: readonly (Partial<BandSeries> & { name: string })[]): StackedBands {
  const groups = Object.fromEntries(all.map(({ name }, rank) => [rank, { name, rank }]));
  const allSeries = all.map(({ name: _name, ...own }, group): BandSeries => {
    const place = { file: 'train.py', line: group + 1, function: 'step', mapped: true };
    return { id: group, group, place: own.bucket === undefined ? place : null, bucket: null, ...own };
  });
  return { bands: { grouping: 'verdict', groups, allSeries, otherSeries: 0 } as unknown as Bands } as StackedBands;
}

function assertApart(stacked: StackedBands, names: readonly string[]): void {
  for (const theme of THEMES) {
    const fills = paintsOf(stacked, theme)
      .slice(0, names.length)
      .map(({ fill }) => fill);
    fills.forEach((fill, i) =>
      fills.slice(0, i).forEach((other, j) => {
        const apart = distance(fill, other);
        assert.ok(apart >= MIN_APART, `${names[i]} and ${names[j]} on ${theme.background}: ${apart.toFixed(1)}`);
      }),
    );
  }
}

function distance(a: Rgb, b: Rgb): number {
  return Math.hypot(...a.map((channel, i) => channel - b[i]));
}

describe('the colors of the series', () => {
  it('tell every verdict and every kind of memory without a line apart', () => {
    const verdicts = ['leak', 'growing', 'cycle', 'periodic', 'plateau', 'oneOff', 'steady', 'tooShort', 'unjudged'];
    const buckets = ['library', 'beforeRecording', 'noStack'] as const;
    const all = [...verdicts.map((name) => ({ name })), ...buckets.map((bucket) => ({ name: bucket, bucket }))];
    assertApart(
      stackOf(all),
      all.map(({ name }) => name),
    );
  });

  it('tell the uses of memory from before the recording apart, and give each line its own where none is judged', () => {
    const bucket = 'beforeRecording' as const;
    const uses = ['parameters', 'gradients', 'optimizerState'] as const;
    const all = [
      ...uses.map((use) => ({ name: bucket, bucket, use })),
      { name: bucket, bucket },
      { name: 'noStack', bucket: 'noStack' as const },
      { name: 'library', bucket: 'library' as const },
      ...['one', 'two'].map(() => ({ name: 'tooShort' })),
    ];
    assertApart(
      stackOf(all),
      all.map(({ name }, i) => `${name} ${i}`),
    );
  });
});
