import assert from 'node:assert/strict';
import type { LineReport } from '../../../src/core/report/report.js';
import { keeperLensText, keeperLineText, keeperMarkdown } from '../../../src/extension/marks/keeperText.js';
import { keeperMarks } from '../../../src/extension/results/keeperMarks.js';
import { lineMarks } from '../../../src/extension/results/lineMarks.js';
import { seededRandom } from '../../support/seededRandom.js';
import { plainText } from './support/plainText.js';
import { lineReport, MiB, report, runReport } from './support/reports.js';

function heldBy(file: string, line: number, name = 'kept'): Pick<LineReport, 'holder'> {
  return { holder: { source: 'recorder', file, line, name, text: `${name}, explained`, fix: null, edit: null } };
}

describe('A statement that keeps memory', () => {
  it('has a mark with the sum of the lines that it keeps, where it is another line', () => {
    const keepers = keeperMarks(
      lineMarks(
        report(
          runReport([
            lineReport({ file: 'model.py', line: 14, leakedBytes: 5 * MiB, ...heldBy('train.py', 26) }),
            lineReport({ file: 'model.py', line: 20, leakedBytes: 7 * MiB, ...heldBy('train.py', 26) }),
            lineReport({ file: 'train.py', line: 30, ...heldBy('train.py', 30) }),
            lineReport({ file: 'train.py', line: 31 }),
            lineReport({ file: 'train.py', line: 32, ignored: true, ...heldBy('train.py', 26) }),
          ]),
        ),
      ),
    );
    assert.deepEqual(
      keepers.map(({ file, line, bytes, kept }) => ({ file, line, bytes, kept: kept.map((one) => one.mark.line) })),
      [{ file: 'train.py', line: 26, bytes: 12 * MiB, kept: [20, 14] }],
    );
    assert.equal(keeperLensText(keepers[0], plainText), '◆ keeps 12.0 MiB of 2 lines');
    assert.equal(keeperLineText(keepers[0], true, plainText), 'kept in kept');
  });

  it('never adds up bytes of several runs: the run that it keeps most in is shown', () => {
    const line = (leakedBytes: number): LineReport =>
      lineReport({ file: 'model.py', line: 14, leakedBytes, ...heldBy('train.py', 26) });
    const [keeper] = keeperMarks(
      lineMarks(report(runReport([line(5 * MiB)], { id: 'a' }), runReport([line(7 * MiB)], { id: 'b' }))),
    );
    assert.equal(keeper.bytes, 7 * MiB);
    assert.equal(keeperLensText(keeper, plainText), '◆ keeps 7.0 MiB of model.py:14');
  });

  it('adds up as counting by hand does, for any lines, runs and holders', () => {
    const pick = seededRandom(26);
    for (let round = 0; round < 50; round++) {
      const runs = Array.from({ length: 1 + pick(3) }, (_, id) =>
        runReport(
          Array.from({ length: pick(12) }, (_, at) =>
            lineReport({
              ...{ file: 'a.py', line: at + 1, leakedBytes: pick(1000), liveBytes: pick(1000), growthBytes: 1 },
              ...{ verdict: (['leak', 'cycle', 'tooShort', 'steady'] as const)[pick(4)], ignored: pick(5) === 0 },
              ...(pick(4) === 0 ? {} : heldBy('a.py', 1 + pick(4))),
            }),
          ),
          { id: String(id) },
        ),
      );
      const expected = new Map<number, number>();
      for (let keeper = 1; keeper <= 4; keeper++) {
        const sums = runs.map(({ lines }) => {
          const kept = lines.filter(
            ({ holder, line, verdict, ignored }) =>
              holder?.line === keeper && line !== keeper && verdict !== 'steady' && !ignored,
          );
          return kept.length === 0
            ? null
            : kept.reduce((sum, one) => sum + (one.verdict === 'leak' ? one.leakedBytes : one.liveBytes), 0);
        });
        const known = sums.filter((sum) => sum !== null);
        if (known.length > 0) expected.set(keeper, Math.max(...known));
      }
      const found = keeperMarks(lineMarks(report(...runs))).map(({ line, bytes }): [number, number] => [line, bytes]);
      assert.deepEqual(new Map(found), expected);
      assert.equal(found.length, expected.size, 'one mark per line');
    }
  });

  it('says so in 40 characters, whatever the file is called, and leads to the lines', () => {
    const file = 'pkg/a_module_with_a_rather_long_name.py';
    const line = lineReport({ file, line: 12345, leakedBytes: 1023 * MiB, ...heldBy('train.py', 26, '<img>') });
    const [keeper] = keeperMarks(lineMarks(report(runReport([line]))));
    const lens = keeperLensText(keeper, plainText);
    assert.match(lens, /^◆ keeps 1023 MiB of a_.*….*\.py:12345$/);
    assert.ok(lens.length <= 40, lens);
    const markdown = keeperMarkdown(keeper, null, () => true, plainText);
    assert.match(markdown, /\]\(command:leakline\.internal\.openSource\?/);
    assert.ok(!markdown.includes('<img>'));
    assert.doesNotMatch(
      keeperMarkdown(keeper, null, () => false, plainText),
      /openSource/,
    );
  });
});
