import assert from 'node:assert/strict';
import { join } from 'node:path';
import { digestSnapshot } from '../../../src/core/digest/digest.js';
import { buildReport } from '../../../src/core/report/buildReport.js';
import { matchLines } from '../../../src/core/report/compare/lineMatching.js';
import type { LineReport } from '../../../src/core/report/report.js';
import { seededRandom } from '../../support/seededRandom.js';
import { FIXTURES, picklesUnder, readFile } from '../../support/snapshots.js';

describe('Lines of two versions of a program', () => {
  let known: LineReport;
  before(async () => {
    const [path] = picklesUnder(join(FIXTURES, 'recordings/aux_loss'));
    [known] = buildReport([digestSnapshot(path, await readFile(path))], { files: [], rules: [] }).report.runs[0].lines;
  });

  /** @param call of PyTorch's line, null for a line that holds nothing */
  const lineOf = (line: number, call: number | null, file = '/a/train.py'): LineReport => {
    const frames = [
      { file: '/torch/nn.py', line: call ?? 0, function: 'forward' },
      { file, line, function: known.function },
    ];
    return { ...known, file, line, stacks: call === null ? [] : [{ ...known.stacks[0], frames }] };
  };
  const places = (pairs: ReadonlyMap<LineReport, LineReport>): string[] =>
    [...pairs].map(([from, to]) => `${from.line}→${to.line}`);

  /** The similarity of two lines, from the lines alone. */
  const worth = (a: LineReport, b: LineReport): number => {
    const [x, y] = [a, b].map(({ stacks }) => stacks.at(0)?.frames[0].line ?? null);
    return (x === null || y === null ? 1 : x === y ? 4 : -9) + (a.line === b.line ? 1 : 0);
  };
  /** The most that any pairing in order is worth. */
  const max = (before: readonly LineReport[], after: readonly LineReport[]): number =>
    before.length * after.length === 0
      ? 0
      : Math.max(
          max(before.slice(1), after),
          max(before, after.slice(1)),
          worth(before[0], after[0]) + max(before.slice(1), after.slice(1)),
        );

  it('are paired in order, as well as any pairing does', () => {
    const random = seededRandom(11);
    const lines = (): LineReport[] =>
      Array.from({ length: 8 }, (_, i) => i + 1)
        .filter(() => random(3) > 0)
        .map((line) => lineOf(line + random(2) * 100, random(4) === 0 ? null : random(3)))
        .sort((a, b) => a.line - b.line);
    for (let round = 0; round < 60; round++) {
      const [before, after] = [lines(), lines()];
      const pairs = [...matchLines(before, after)];
      for (const [i, [from, to]] of pairs.entries()) {
        const next = pairs.at(i + 1);
        assert.ok(next === undefined || (before.indexOf(next[0]) > before.indexOf(from) && next[1].line > to.line));
      }
      assert.equal(
        pairs.reduce((sum, [from, to]) => sum + worth(from, to), 0),
        max(before, after),
      );
    }
  });

  it('are paired where 20,000 lines of a function moved', () => {
    const before = Array.from({ length: 20_000 }, (_, i) => lineOf(i, i));
    const after = before.map(({ line }) => lineOf(line + 7, line));
    const added = Array.from({ length: 7 }, (_, i) => lineOf(i, i + 50_000));
    assert.deepEqual(
      places(matchLines(before, [...added, ...after])),
      before.map(({ line }) => `${line}→${line + 7}`),
    );
  });

  it('are paired where the program ran from another folder, unless two files have its name', () => {
    const before = Array.from({ length: 2000 }, (_, i) => lineOf(1, i, `/old/${i % 1000}/f${i}.py`));
    const after = before.map((line, i) => lineOf(1, i, line.file.replace('old', 'new')));
    assert.equal(matchLines(before, after).size, 2000);
    const twice = after.map((line, i) => lineOf(1, i, line.file.replace(/f\d+/, 'f')));
    assert.equal(matchLines([lineOf(1, 5, '/old/f.py')], twice).size, 0);
  });
});
