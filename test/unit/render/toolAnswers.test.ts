/** Answers for agents: lines counted from one, short lists of numbers, a maximum length. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { bounded, findingAnswer } from '../../../src/core/render/toolAnswers.js';
import type { Report, SourceEdit } from '../../../src/core/report/report.js';
import { repositoryRoot } from '../../support/repository.js';
import { runHere } from '../cli/runHere.js';

const ROOT = join(repositoryRoot(), 'examples/detector');
const MAX_NUMBERS = 8;
const MAX_LENGTH = 40_000;

/** Lengths of all lists of numbers in a value. */
function numberLists(value: unknown): number[] {
  if (typeof value !== 'object' || value === null) return [];
  if (Array.isArray(value) && value.length > 0 && value.every((one) => typeof one === 'number')) return [value.length];
  return Object.values(value).flatMap(numberLists);
}

describe('An answer for agents', () => {
  let report: Report;
  before(async () => {
    report = JSON.parse((await runHere('analyze', '--json', '--root', ROOT, join(ROOT, 'snapshots'))).stdout) as Report;
  });

  it('counts lines and columns of a fix from one, as those of its finding', () => {
    const holder = report.runs[0].lines.find((line) => line.holder !== null)?.holder;
    assert.ok(holder?.edit != null);
    const answer = JSON.parse(findingAnswer(holder.file, holder.line, report)) as {
      finding: { line: number; holder: { line: number; edit: SourceEdit } };
      lines: { runs: { holder: { edit: SourceEdit } }[] }[];
    };
    const [change] = holder.edit.changes;
    assert.equal(answer.finding.holder.line, 18);
    for (const edit of [answer.finding.holder.edit, answer.lines[0].runs[0].holder.edit]) {
      assert.deepEqual(
        edit.changes.map(({ startLine, endLine, startColumn, endColumn }) => [
          startLine,
          endLine,
          startColumn,
          endColumn,
        ]),
        [[18, 18, change.startColumn + 1, change.endColumn + 1]],
      );
      assert.deepEqual(
        edit.lines.map(({ line }) => line),
        [18],
      );
    }
  });

  it('thins long lists of numbers, and keeps their ends', () => {
    assert.ok(numberLists(report).some((length) => length > MAX_NUMBERS));
    const { evidence } = report.runs[0].lines.find((line) => line.holder !== null) ?? {};
    const answer = JSON.parse(findingAnswer('detector/pyramid.py', 18, report)) as {
      lines: { runs: { evidence: { floors: number[] } }[] }[];
    };
    assert.ok(numberLists(answer).every((length) => length <= MAX_NUMBERS));
    const { floors } = answer.lines[0].runs[0].evidence;
    assert.deepEqual([floors[0], floors.at(-1)], [evidence?.floors[0], evidence?.floors.at(-1)]);
  });

  it('has a maximum length with its notes, and counts what it omits', () => {
    assert.equal(bounded('a', '\n\nb'), 'a\n\nb');
    const text = 'x'.repeat(MAX_LENGTH + 5);
    for (const notes of ['', '\n\nstep_1.pickle: truncated.', 'y'.repeat(MAX_LENGTH)]) {
      const cut = bounded(text, notes);
      assert.ok(cut.length <= MAX_LENGTH);
      assert.ok(cut.length > MAX_LENGTH / 2);
      const kept = /^x*/.exec(cut)?.[0].length ?? 0;
      assert.ok(cut.includes(`\n… ${text.length - kept} more characters.`));
    }
    assert.match(bounded(text, '\n\nstep_1.pickle: truncated.'), /truncated\.$/);
  });
});
