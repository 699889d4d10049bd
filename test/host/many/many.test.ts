import assert from 'node:assert/strict';
import { join } from 'node:path';
import * as vscode from 'vscode';
import type { LeaklineApi } from '../../../src/extension/api.js';
import type { Report } from '../../../src/core/report/report.js';
import { eventually } from '../../support/eventually.js';
import type { LargeWorkspace } from '../../support/largeWorkspace.js';
import { inWorkspace, leakline } from '../extension.js';
import { byteLensesOf } from '../lenses.js';
import { truth } from '../truth.js';

const MIB = 2 ** 20;
const READING_MS = 240_000;

/** A thousand snapshots of twenty runs among three hundred Python files. */
describe('A workspace of years', () => {
  const made = truth() as LargeWorkspace;
  const all = made.runs.reduce((sum, run) => sum + run.snapshots.length, 0);
  let api: LeaklineApi;

  before(async () => {
    api = (await leakline().activate()) as LeaklineApi;
  });

  const untilRead = (): Promise<Report> =>
    eventually(
      () => {
        const report = api.report();
        assert.equal(count(report), all);
        assert.ok(report !== null, 'nothing is read');
        return report;
      },
      { timeoutMs: READING_MS, everyMs: 250 },
    );

  it('is found whole: every run, every snapshot, every leak to the byte', async () => {
    const report = await untilRead();
    assert.equal(report.runs.length, made.runs.length);
    for (const run of made.runs) {
      const found = report.runs.find(({ snapshots }) => snapshots.some(({ path }) => path.includes(`${run.folder}/`)));
      assert.deepEqual(
        found?.snapshots.map(({ path }) => path),
        run.snapshots.map((name) => inWorkspace(run.folder, name)),
      );
      const leaks = found.lines.filter(({ verdict }) => verdict === 'leak' || verdict === 'growing');
      assert.deepEqual(
        leaks.map(({ file, line, mapped, liveBytes }) => ({ file, line, mapped, bytes: liveBytes })),
        [{ ...run.leak, mapped: true }],
      );
    }
  });

  it('has its marks on the leaking files, and none on the others', async () => {
    await untilRead();
    const leaking = new Set(made.runs.map(({ leak }) => leak.file));
    const innocent = made.sources.filter((file) => !leaking.has(file)).slice(0, 5);
    await eventually(async () => {
      for (const file of [...[...leaking].slice(0, 5), ...innocent]) {
        const lines = (await byteLensesOf(vscode.Uri.file(inWorkspace(file)))).map(({ line }) => line);
        assert.deepEqual(lines, leaking.has(file) ? [made.runs[0].leak.line] : [], file);
      }
    });
  });

  it('answers while it reads, the newest run first, and keeps within its memory', async () => {
    await untilRead();
    const before = process.memoryUsage.rss();
    const [oldest, newest] = [made.runs[0], made.runs[made.runs.length - 1]];
    const pathOf = ({ folder, snapshots }: typeof oldest): string => inWorkspace(join(folder, snapshots[10]));
    await vscode.commands.executeCommand('leakline.readAgain');
    const order: string[] = [];
    const opened = [oldest, newest].map(async (run) => {
      await api.openSnapshot(pathOf(run));
      order.push(run.folder);
    });
    // A question goes to the window and back to the extension host, where Leakline answers it.
    let answers = 0;
    while (count(api.report()) < all) {
      await byteLensesOf(vscode.Uri.file(inWorkspace(oldest.leak.file)));
      if (count(api.report()) < all) answers++;
    }
    await Promise.all(opened);
    assert.ok(answers > 0, 'no answer came before all was read');
    assert.deepEqual(order, [newest.folder, oldest.folder]);
    const grown = (process.memoryUsage.rss() - before) / MIB;
    assert.ok(grown < 512, `grew by ${Math.round(grown)} MiB`);
  });
});

function count(report: Report | null): number {
  return report?.runs.reduce((sum, { snapshots }) => sum + snapshots.length, 0) ?? 0;
}
