import assert from 'node:assert/strict';
import { byteTickLabel, formatExactBytes, formatShare } from '../../../webview/text/format.js';
import { durationIn, durationUnit, formatDuration } from '../../../webview/text/duration.js';

const MiB = 1024 * 1024;
const GiB = 1024 * MiB;

describe('bytes as text', () => {
  it('shows every byte where asked to', () => {
    assert.equal(formatExactBytes(1), '1 byte');
    assert.equal(formatExactBytes(-1288490189), '-1,288,490,189 bytes');
  });

  it('labels ticks without trailing zeros', () => {
    assert.equal(byteTickLabel(0), '0');
    assert.equal(byteTickLabel(512 * MiB), '512 MiB');
    assert.equal(byteTickLabel(1.5 * GiB), '1.5 GiB');
    assert.equal(byteTickLabel(1.25 * GiB + 128 * MiB), '1.375 GiB');
  });

  it('shows shares of a whole, and none of nothing', () => {
    assert.equal(formatShare(1, 3), '33 %');
    assert.equal(formatShare(1, 30), '3.3 %');
    assert.equal(formatShare(1, 1e6), '< 0.1 %');
    assert.equal(formatShare(0, 10), '0 %');
    assert.equal(formatShare(5, 0), '');
  });
});

describe('durations as text', () => {
  const cases: [number, string][] = [
    [0, '0 µs'],
    [250, '250 µs'],
    [1500, '1.5 ms'],
    [12_345_678, '12.3 s'],
    [74_420_917, '74.4 s'],
    [3_218_765, '3.22 s'],
    [90e6, '90 s'],
    [185_250_000, '3:05 min'],
    [120e6 + 12e6, '2:12 min'],
    [3600e6 + 3 * 60e6 + 5e6, '1:03:10 h'],
  ];
  for (const [us, text] of cases) {
    it(`shows ${us} µs as ${text}`, () => {
      assert.equal(formatDuration(us), text);
    });
  }

  it('shows the digits of a time that distinguish it from its neighbors', () => {
    assert.equal(formatDuration(12_345_678, 1), '12.345678 s');
    assert.equal(formatDuration(12_345_678, 5_000), '12.346 s');
  });

  it('keeps one unit along an axis', () => {
    assert.equal(durationUnit(3 * 60e6), 'min:s');
    assert.equal(durationIn(30e6, 'min:s'), '0:30');
    assert.equal(durationIn(500, 'ms'), '0.5');
    assert.equal(durationIn(-1.5e6, 's'), '\u22121.5');
  });
});
