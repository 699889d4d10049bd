import assert from 'node:assert/strict';
import { lineReport } from '../extension/support/reports.js';
import { byteText, countText, signedByteText } from '../../../src/core/text/numberText.js';
import { visibleJson, visibleText } from '../../../src/core/text/plainText.js';
import { renderCompareMarkdown, renderMarkdown } from '../../../src/core/render/renderMarkdown.js';
import { renderCompareText, renderText, unmappedText } from '../../../src/core/render/renderText.js';
import type {
  OlderReport,
  CompareLine,
  CompareReport,
  LineReport,
  Report,
  SnapshotReport,
} from '../../../src/core/report/report.js';
import { sparkline } from '../../../src/core/text/sparkline.js';
import { tableLines } from '../../../src/core/text/textTable.js';

const ALL = { maxLines: Infinity };
const NO_OLDER: OlderReport = {
  bytes: 0,
  evidence: null,
  parameterBytes: 0,
  stateBytes: 0,
  gradientBytes: 0,
  activationBytes: 0,
  workspaceBytes: 0,
  freed: [],
  held: { bytes: 0, blocks: 0 },
  equal: [],
  hasLayers: false,
};

function snapshot(step: number, liveBytes: number, warnings: string[] = []): SnapshotReport {
  return {
    path: `snap_${step}.pickle`,
    format: 'pickle',
    bytes: 1000,
    events: 10,
    step,
    takenAtUs: null,
    devices: [{ device: 0, liveBytes, reservedBytes: 2 * liveBytes, requestedBytes: liveBytes, privatePoolBytes: 0 }],
    warnings: warnings.map((message) => ({ code: 'test', message })),
  };
}

function line(file: string, series: number[], more: Partial<LineReport> = {}): LineReport {
  const liveBytes = series[series.length - 1];
  return lineReport({
    ...{ file, line: 7, function: 'step', liveBytes, totalBytes: liveBytes, growthBytes: liveBytes - series[0] },
    ...{ growingBytes: 0, leakedBytes: 0, bytesPerStep: 0, blocks: 3, series, verdict: 'steady', confidence: 1 },
    ...more,
  });
}

function reportOf(lines: LineReport[], warnings: string[] = []): Report {
  const live = lines.reduce((sum, { liveBytes }) => sum + liveBytes, 0);
  return {
    schema: 'leakline.report/3',
    ranks: [],
    missing: [],
    behind: [],
    failed: [],
    overBudget: [],
    runs: [
      {
        id: 'snap_#.pickle',
        rank: null,
        job: null,
        worldSize: null,
        stepLoop: null,
        steps: 'snapshots',
        order: 'steps',
        snapshots: [snapshot(10, live), snapshot(20, live, warnings), snapshot(30, live + 300, warnings)],
        passes: null,
        verdict: lines.some(({ verdict }) => verdict === 'leak') ? 'leak' : 'steady',
        process: [],
        forecast: null,
        sources: null,
        lines,
        otherLines: { lines: 0, liveBytes: 0, growthBytes: 0, leakedBytes: 0, blocks: 0 },
        buckets: { library: 100, beforeRecording: 200 },
        noStack: 0,
        categories: [],
        peak: null,
        peaks: [],
        atExit: [],
        laterGrowth: null,
        scopes: [],
        outOfMemory: [],
      },
    ],
    trends: [],
    cycles: [],
  };
}

const LEAK = line('src/train.py', [0, 1024, 2048], { verdict: 'leak', leakedBytes: 2048, bytesPerStep: 1024 });
const BIG = line('src/model.py', [5 << 20, 5 << 20, 5 << 20]);

describe('A report as text', () => {
  it('shows leaks first, with rate, trend and place', () => {
    const text = renderText(reportOf([BIG, LEAK]), ALL);
    const rows = text.split('\n');
    const leak = rows.findIndex((row) => row.includes('LEAK'));
    assert.match(
      rows[leak],
      /^ {2}LEAK +2\.0 KiB +2,048 +\+2\.0 KiB +\+1\.0 KiB\/snapshot +3 +▁▅█ +other +src\/train\.py:7 \(step\)$/,
    );
    assert.match(rows[leak + 1], /steady +5\.0 MiB +5,242,880 .*src\/model\.py:7/);
    assert.match(rows[0], /: 1 leak\.$/);
    assert.equal(rows[2], '  src/train.py:7: Leaks 1.0 KiB/snapshot (2.0 KiB so far).');
    assert.ok(rows.includes('  3 snapshots, steps 10 to 30, 30 events'));
    assert.ok(leak > 2, 'the finding stands above the table');
  });

  it('of a lone snapshot begins with the largest lines, and with its peak where a trace has one', () => {
    const report = reportOf([BIG, { ...LEAK, verdict: 'tooShort' }]);
    const [run] = report.runs;
    run.verdict = 'tooShort';
    run.snapshots = run.snapshots.slice(2);
    const rows = renderText(report, ALL).trimEnd().split('\n');
    // What is less than a hundredth is not worth a word in the first sentence.
    assert.equal(rows[0], 'snap_#.pickle: 5.0 MiB live. Largest: 5.0 MiB src/model.py:7 (step).');

    const held = { file: 'a|b.py', line: 3, function: 'forward', mapped: false, bytes: 3 << 20, blocks: 2 };
    run.peaks = [
      {
        ...{ path: 'snap_30.pickle', device: 1, event: 9, timeUs: null, step: null, reservedBytes: null },
        ...{
          liveBytes: (3 << 20) + 100,
          lines: [{ ...held, categories: [], ways: [], fromEarlierSteps: 0 }],
          otherLines: { lines: 0, bytes: 0, blocks: 0 },
          categories: [],
          advice: [],
        },
        ...{ phase: null, at: null, module: null, older: NO_OLDER, libraries: [], isState: false, isTruncated: false },
        ...{ buckets: { library: 100, beforeRecording: 0 }, noStack: 0 },
      },
    ];
    const peaked = renderText(report, { maxLines: 20 }).trimEnd().split('\n');
    assert.match(peaked[0], /: Peak of device 1: 3\.0 MiB\. Largest: 3\.0 MiB a\|b\.py:3 \(forward\)\.$/);
    const row = (title: string): number => peaked.findIndex((text) => text.includes(title));
    assert.ok(row('AT PEAK') > 0 && row('AT PEAK') < row('At the end: '), 'the peak stands above what is live');
    const markdown = renderMarkdown(report, ALL).trimEnd().split('\n');
    assert.match(markdown[2], /^\*\*Peak of device 1: 3\.0 MiB\. Largest: 3\.0 MiB `a\\\|b\.py:3 \(forward\)`/);
  });

  it('folds lines beyond the limit into one row, and loses no byte', () => {
    const lines = Array.from({ length: 50 }, (_, i) => line(`f${i}.py`, [1000 + i, 1000 + i, 1000 + i]));
    const text = renderText(reportOf([...lines, LEAK]), { maxLines: 10 });
    assert.ok(text.includes('41 other lines'));
    assert.ok(text.includes('LEAK'), 'leaks are never folded');
    const body = text.split('\n').slice(text.split('\n').findIndex((row) => row.includes('VERDICT')) + 1);
    const bytes = body
      .filter((row) => row !== '')
      .map((row) => Number(/B +([\d,]+) /.exec(row)?.[1]?.replaceAll(',', '')));
    const total = bytes.pop();
    assert.equal(
      bytes.reduce((sum, value) => sum + value, 0),
      total,
    );
  });

  it('gives every warning once, with how many snapshots it concerns', () => {
    const text = renderText(reportOf([BIG], ['The ring overflowed. Raise max_entries.']), ALL);
    assert.equal(text.split('The ring overflowed').length, 2);
    assert.ok(text.includes('(2 of 3 snapshots)'));
  });

  it('gives warnings that differ in their numbers once for each device, with the last numbers', () => {
    const report = reportOf([BIG]);
    const late = (device: number, bytes: number): SnapshotReport['warnings'][number] => ({
      code: 'ringOverflow',
      device,
      message: `${bytes} bytes on device ${device} are older.`,
    });
    const [first, second, third] = report.runs[0].snapshots;
    first.warnings = [late(0, 10), late(1, 7)];
    second.warnings = [late(1, 8)];
    third.warnings = [late(0, 30)];
    const rows = renderText(report, ALL)
      .split('\n')
      .filter((row) => row.includes('Warning:'));
    assert.deepEqual(
      rows.map((row) => row.trim()),
      [
        'Warning: 30 bytes on device 0 are older. (2 of 3 snapshots; the numbers are the last one’s)',
        'Warning: 8 bytes on device 1 are older. (2 of 3 snapshots; the numbers are the last one’s)',
      ],
    );
  });

  it('leaves out rows of nothing and steady lines below 1 %, unless all are requested', () => {
    const small = line('src/small.py', [1000, 1000, 1000]);
    const gone = line('src/gone.py', [1000, 1000, 0]);
    const report = reportOf([BIG, LEAK, small, gone]);
    report.runs[0].buckets = { library: 0, beforeRecording: 200 };
    const short = renderText(report, { maxLines: 30 });
    assert.match(short, /1000 B .* 2 other lines$/m);
    assert.doesNotMatch(short, /small\.py|gone\.py|library/);
    assert.match(renderText(report, ALL), /src\/small\.py:7/);
  });

  it('lists lines with one holder as one finding, with the holding statement first', () => {
    const holder = {
      source: 'recorder' as const,
      file: 'train.py',
      line: 26,
      name: "history['aux']",
      text: "history['aux']",
      fix: 'Append a float.',
      edit: null,
    };
    const other = { ...LEAK, line: 9, leakedBytes: 1024, bytesPerStep: 512, holder };
    const text = renderText(reportOf([{ ...LEAK, holder }, other]), ALL);
    assert.ok(
      text.includes(
        ": 1 leak.\n\n  train.py:26: Leaks 1.5 KiB/snapshot (3.0 KiB so far), held by history['aux'] (seen in the running process).\n" +
          '    Fix: Append a float.\n    Allocated at src/train.py:7 (step), src/train.py:9 (step)\n',
      ),
      text,
    );
    assert.equal(text.split('Append a float').length, 2);
    const markdown = renderMarkdown(reportOf([{ ...LEAK, holder }, other]), ALL);
    assert.ok(
      markdown.includes("- **`train.py:26`: Leaks 1.5 KiB/snapshot (3.0 KiB so far), held by `history['aux']`"),
    );
  });

  it('shows control characters and marks of direction instead of obeying them', () => {
    const text = renderText(reportOf([line('a\u001b[31m\nb\u202e.py', [1, 1, 1])]), ALL);
    assert.ok(text.includes('a\\u001b[31m\\u000ab\\u202e.py:7'));
  });

  it('lists unmapped files where others are mapped, and counts them where none is', () => {
    const paths = {
      unmapped: ['/a.py', '/b.py', '/c.py', '/d.py', '/e.py', '/f.py'],
      ambiguous: [{ recorded: '/x.py', candidates: ['p/x.py', 'q/x.py'] }],
      learned: [],
    };
    assert.deepEqual(unmappedText(paths, true), [
      '6 recorded files not found below the root: /a.py, /b.py, /c.py, /d.py, /e.py, and 1 more. Map them with --map FROM=TO.',
      '/x.py could be p/x.py or q/x.py. Choose with --map FROM=TO.',
    ]);
    assert.match(
      unmappedText({ ...paths, ambiguous: [] }, false).join(),
      /^No source: the recorded files are not below/,
    );
    assert.deepEqual(unmappedText({ unmapped: [], ambiguous: [], learned: [] }, false), []);
  });
});

describe('A report as Markdown', () => {
  it('keeps recorded names from being markup, links, mentions or cells', () => {
    const text = renderMarkdown(reportOf([line('<img src=x>`a``b`|[x](y) @someone\n', [1, 1, 1])]), ALL);
    const row = text.split('\n').find((part) => part.includes('<img'));
    assert.ok(row?.includes('``` <img src=x>`a``b`\\|[x](y) @someone\\u000a:7 (step) ```'), row);
  });

  it('has rows of equal cells', () => {
    const text = renderMarkdown(reportOf([BIG, LEAK]), { maxLines: 1 });
    const rows = text.split('\n').filter((row) => row.startsWith('|'));
    assert.ok(rows.length >= 5);
    assert.equal(new Set(rows.map((row) => row.split(' | ').length)).size, 1);
  });
});

describe('A comparison', () => {
  const cell = (
    bytesA: number,
    bytesB: number,
  ): Omit<CompareLine, 'file' | 'line' | 'function' | 'mapped' | 'stacks'> => ({
    bytesA,
    bytesB,
    growthBytes: bytesB - bytesA,
    blocksA: 1,
    blocksB: 2,
    flow: { survived: { bytes: 0, blocks: 1 }, allocated: { bytes: 0, blocks: 1 }, freed: { bytes: 0, blocks: 0 } },
  });
  const report: CompareReport = {
    schema: 'leakline.compare/1',
    reused: false,
    configurations: null,
    fix: null,
    a: snapshot(10, 3000),
    b: snapshot(20, 5000),
    lines: [
      { file: 'src/grow.py', line: 1, function: 'f', mapped: true, stacks: [], ...cell(1000, 4000) },
      { file: 'src/same.py', line: 2, function: 'g', mapped: true, stacks: [], ...cell(500, 500), blocksB: 1 },
      { file: 'src/shrink.py', line: 3, function: 'h', mapped: true, stacks: [], ...cell(1400, 400) },
    ],
    otherLines: { ...cell(0, 0), blocksA: 0, blocksB: 0, lines: 0 },
    buckets: {
      library: cell(100, 100),
      beforeRecording: cell(0, 0),
    },
    noStack: { ...cell(0, 0), blocksA: 0, blocksB: 0 },
  };

  it('adds up as text, and folds unchanged lines', () => {
    const [answer, ...rows] = renderCompareText(report, ALL).split('\n');
    assert.equal(answer, '+2.0 KiB live: 2.9 KiB before, 4.9 KiB after. Most at src/grow.py:1 (+2.9 KiB).');
    assert.match(rows.find((row) => row.includes('grow.py')) ?? '', /^ +\+2\.9 KiB +\+3,000 .* src\/grow\.py:1 \(f\)$/);
    assert.match(rows.find((row) => row.includes('shrink.py')) ?? '', /^ *-1000 B +-1,000 /);
    assert.ok(!rows.some((row) => row.includes('same.py')));
    assert.ok(rows.some((row) => row.endsWith('1 other line')));
    assert.match(rows.find((row) => row.endsWith('total')) ?? '', /\+2,000 /);
  });

  it('keeps recorded names from being markup in its answer, too', () => {
    const [first] = report.lines;
    const named = { ...report, lines: [{ ...first, file: '<img src=x>[x](y)\u001b' }] };
    const answer = renderCompareMarkdown({ ...named, configurations: { a: '<a>', b: 'b' } }, ALL).split('\n')[2];
    assert.ok(answer.includes('configurations, `<a>` and `b`, not'), answer);
    assert.ok(answer.includes('Most at `<img src=x>[x](y)\\u001b:1` ('), answer);
  });

  it('names no surviving blocks when the traces do not show them', () => {
    const unknown = structuredClone(report);
    for (const part of [...unknown.lines, ...Object.values(unknown.buckets)]) part.flow = null;
    const text = renderCompareText(unknown, ALL);
    assert.ok(!text.includes('SURVIVED'));
    assert.ok(text.includes('the two traces do not overlap'));
    unknown.a.events = 0;
    assert.ok(renderCompareText(unknown, ALL).includes('one snapshot has no trace'));
  });

  it('is Markdown, too', () => {
    const text = renderCompareMarkdown(report, ALL);
    assert.match(text, /^\| \+2\.9 KiB \| .* \| `src\/grow\.py:1 \(f\)` \|$/m);
    assert.match(text, /^\| 0 B \| .* \| 1 other line \|$/m);
    assert.match(text, /\n\n\*\*\+2\.0 KiB live: /);
  });

  it('begins with the names of compared configurations', () => {
    const configurations = { a: 'ctx128', b: 'ctx256' };
    assert.match(
      renderCompareText({ ...report, configurations }, ALL),
      /^This compares .* ctx128 and ctx256.*\+2\.0 KiB/,
    );
  });
});

describe('The parts of a rendering', () => {
  it('writes bytes short, signed and in full', () => {
    const texts = [0, 1, 1023, 1024, 1536, 104_857_600, -2048, 5e12, 2 ** 60].map((bytes) => byteText(bytes));
    assert.deepEqual(texts, [
      '0 B',
      '1 B',
      '1023 B',
      '1.0 KiB',
      '1.5 KiB',
      '100 MiB',
      '-2.0 KiB',
      '4.5 TiB',
      '1048576 TiB',
    ]);
    assert.deepEqual([signedByteText(0), signedByteText(10), signedByteText(-10)], ['0 B', '+10 B', '-10 B']);
    assert.deepEqual(
      [countText(0), countText(999), countText(1000), countText(-1234567)],
      ['0', '999', '1,000', '-1,234,567'],
    );
  });

  it('draws a series from zero, and keeps its peaks', () => {
    assert.equal(sparkline([0, 50, 100], 12), '▁▅█');
    assert.equal(sparkline([7, 7, 7], 12), '███');
    assert.equal(sparkline([0, 0], 12), '▁▁');
    assert.equal(sparkline([], 12), '');
    const spike = Array.from({ length: 100 }, (_, i) => (i === 37 ? 1000 : 1));
    assert.equal(sparkline(spike, 10).split('█').length - 1, 1);
  });

  it('draws what grows evenly as a line, however its values are spaced', () => {
    const at = [1, 2, 3, 4, 5, 6, 7, 8, 16, 32, 64, 128];
    assert.equal(sparkline(at, 8, { at }), '▂▃▄▅▅▆▇█');
    const late = at.map((step) => (step === 32 ? 200 : step));
    assert.equal(sparkline(late, 8, { at }).indexOf('█'), 1);
    assert.equal(sparkline([5], 8, { at: [9] }), '█');
  });

  it('aligns a table whose names are wide', () => {
    const rows = tableLines(
      [
        { title: 'N', align: '<' },
        { title: 'B', align: '>' },
      ],
      [
        ['模型', '1'],
        ['abcdef', '22'],
      ],
    );
    assert.deepEqual(rows, ['N        B', '模型     1', 'abcdef  22']);
  });

  it('escapes unseen characters in text and JSON without changing the value', () => {
    assert.equal(visibleText('a\tb\u0085c\u200bd'), 'a\\u0009b\\u0085c\\u200bd');
    const value = { 'a\u009b': ['\u001b', '\n', 'ü漢', '\u2028', '\\u0041'] };
    const jsonOf = (one: unknown): string => {
      const pieces: string[] = [];
      visibleJson(one, (piece) => pieces.push(piece));
      return pieces.join('');
    };
    const json = jsonOf(value);
    assert.deepEqual(JSON.parse(json), value);
    assert.doesNotMatch(json.replaceAll('\n', ''), /[\u007f-\u009f\u2028]/);
    const nested = { a: [{ b: [1, { c: null }], d: undefined }, [], {}], e: 'f', g: [[2]] };
    assert.equal(jsonOf(nested), JSON.stringify(nested, null, 2));
  });
});
