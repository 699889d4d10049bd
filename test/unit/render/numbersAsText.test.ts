import assert from 'node:assert/strict';
import { byteText, signedByteText } from '../../../src/core/text/numberText.js';
import { sparkline } from '../../../src/core/text/sparkline.js';
import { assertShows } from '../../support/shownBytes.js';

describe('Bytes as text', () => {
  it('use IEC units and at most four digits', () => {
    const shown = (bytes: number): string => byteText(bytes);
    assert.deepEqual(
      [0, 1, 1023, 1024, 1536, 102_348, 102_400, 1024 ** 2 - 1, 52 * 1024 ** 2, 1.2 * 1024 ** 3, 5 * 1024 ** 5].map(
        shown,
      ),
      [
        '0 B',
        '1 B',
        '1023 B',
        '1.0 KiB',
        '1.5 KiB',
        '99.9 KiB',
        '100 KiB',
        '1.0 MiB',
        '52.0 MiB',
        '1.2 GiB',
        '5120 TiB',
      ],
    );
  });

  it('round to the shown digits, at every size', () => {
    for (let bytes = 1; bytes < 2 ** 45; bytes = Math.ceil(bytes * 1.037)) assertShows(byteText(bytes), bytes);
  });

  it('carry a sign where they are differences', () => {
    assert.deepEqual([2048, 0, -2048].map(signedByteText), ['+2.0 KiB', '0 B', '-2.0 KiB']);
  });
});

describe('Sparklines', () => {
  it('start at zero, so that a flat series is flat', () => {
    assert.equal(sparkline([5, 5, 5], 8), '███');
    assert.equal(sparkline([0, 0, 0], 8), '▁▁▁');
    assert.equal(sparkline([0, 50, 100], 8), '▁▅█');
  });

  it('keep the peaks of a long series', () => {
    const series = Array.from({ length: 100 }, (_, i) => (i === 37 ? 100 : 0));
    assert.match(sparkline(series, 8), /^[▁-█]{8}$/);
    assert.ok(sparkline(series, 8).includes('█'));
    assert.equal(sparkline([], 8), '');
  });
});
