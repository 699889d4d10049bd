import assert from 'node:assert/strict';
import type { LiveAt, LiveLine } from '../../../src/protocol/timelineData.js';
import { largestMappedLine } from '../../../webview/actions/session.js';
import { byRow, ownerRows, sumOf, tellApart, type LiveRow } from '../../../webview/live/rows.js';
import { filterRows } from '../../../webview/parts/rowOrder.js';

function line(file: string, number: number, bytes: number, blocks: number, mapped = true): LiveLine {
  return { file, line: number, function: `make_${number}`, bytes, blocks, mapped, frames: null, hiddenFrames: 0 };
}

function answer(
  lines: LiveLine[],
  library = { bytes: 0, blocks: 0 },
  beforeRecording = { bytes: 0, blocks: 0 },
): LiveAt {
  const liveBytes = [...lines, library, beforeRecording].reduce((sum, part) => sum + part.bytes, 0);
  const buckets = { library, beforeRecording, noStack: { bytes: 0, blocks: 0 } };
  return {
    path: '/s',
    device: 0,
    by: 'line',
    event: 9,
    timeUs: null,
    liveBytes,
    reservedBytes: liveBytes,
    lines,
    buckets,
  };
}

const placeOf = (row: LiveRow): string => (row.kind === 'line' ? `${row.line.file}:${row.line.line}` : row.kind);

describe('rows of what is live', () => {
  const lines = [
    line('/env/nn.py', 4, 900, 1, false),
    line('b.py', 12, 500, 9),
    line('a.py', 30, 500, 2),
    line('b.py', 3, 7, 40),
  ];
  const live = answer(lines, { bytes: 600, blocks: 3 }, { bytes: 800, blocks: 5 });

  it('are lines and buckets, largest first, and add up to the live bytes exactly', () => {
    const rows = ownerRows(live, live.liveBytes, null);
    assert.deepEqual(rows.map(placeOf), ['/env/nn.py:4', 'beforeRecording', 'library', 'b.py:12', 'a.py:30', 'b.py:3']);
    assert.deepEqual(sumOf(rows), { bytes: live.liveBytes, blocks: 60 });
  });

  it('leave out empty buckets', () => {
    assert.deepEqual(ownerRows(answer([line('a.py', 1, 5, 1)]), 5, null).map(placeOf), ['a.py:1']);
  });

  it('report parts that do not add up', () => {
    const rows = ownerRows(live, live.liveBytes + 24, null);
    assert.equal(rows.find((row) => row.kind === 'unexplained')?.bytes, 24);
    assert.equal(sumOf(rows).bytes, live.liveBytes + 24);
  });

  it('go by file and number, those without a line last', () => {
    const rows = ownerRows(live, live.liveBytes, null).sort(byRow);
    assert.deepEqual(rows.map(placeOf).slice(0, 4), ['/env/nn.py:4', 'a.py:30', 'b.py:3', 'b.py:12']);
  });

  it('are filtered by every word, whatever its case', () => {
    const found = (filter: string): string[] =>
      filterRows(ownerRows(live, live.liveBytes, null), filter, (row) =>
        row.kind === 'line' ? `${placeOf(row)} ${row.line.function}` : row.kind,
      ).map(placeOf);
    assert.deepEqual(found('B.PY'), ['b.py:12', 'b.py:3']);
    assert.deepEqual(found('  make_3   b.py '), ['b.py:3']);
    assert.equal(found('').length, 6);
    assert.deepEqual(found('.*'), []);
  });

  it('mark the line from which the timeline was opened', () => {
    const rows = ownerRows(live, live.liveBytes, { file: 'b.py', line: 3 });
    assert.deepEqual(rows.filter((row) => row.kind === 'line' && row.pointedOut).map(placeOf), ['b.py:3']);
  });

  it('the largest line to open is one of the workspace', () => {
    assert.equal(largestMappedLine(live), lines[1]);
    assert.equal(largestMappedLine(answer([lines[0]])), null);
  });

  it('tell stacks of one line apart by the innermost frame that no other has there', () => {
    const stack = (...lines: number[]): LiveLine => ({
      ...line('loss.py', 7, 512, 1),
      frames: lines.map((number) => ({ file: '/job/train.py', line: number, function: `call_${number}` })),
    });
    const [first, second, third] = [stack(1, 2, 3), stack(1, 2, 4), stack(1, 9, 3)];
    const alone = { ...stack(1, 2, 3), line: 8 };
    const texts = tellApart(ownerRows(answer([first, second, third, alone]), 4 * 512, null));
    assert.deepEqual(
      [first, second, third, alone].map((one) => texts.get(one)),
      ['train.py:3 call_3', 'train.py:4 call_4', 'train.py:9 call_9', undefined],
    );
  });
});
