import assert from 'node:assert/strict';
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import type { Report } from '../../../src/core/report/report.js';
import type { SentResult } from '../../../src/protocol/workerApi.js';
import { withRepeated } from '../../../src/protocol/reportCode.js';
import { workerHandlers } from '../../../src/worker/handlers.js';
import { SnapshotStore } from '../../../src/worker/snapshotStore.js';
import { WorkspaceFiles } from '../../../src/worker/workspaceFiles.js';
import { readingHere } from '../../support/readingHere.js';
import { FIXTURES, picklesUnder } from '../../support/snapshots.js';

const RUNS = ['running_total', 'epoch_outputs'].map((name) => join(FIXTURES, 'planted/recordings', name));
const { signal } = new AbortController();

describe('A report that is sent after another', () => {
  let folder: string;
  const newWorker = (): ReturnType<typeof workerHandlers> =>
    workerHandlers(new SnapshotStore(readingHere()), readingHere(), new WorkspaceFiles(), () => undefined);

  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'leakline-reports-'));
  });
  after(() => {
    rmSync(folder, { recursive: true });
  });

  it('is the whole report again, whatever comes and goes, and names each snapshot once', async () => {
    const worker = newWorker();
    const files = RUNS.flatMap((run) => picklesUnder(run).slice(0, 8));
    const shuffled = files.map((_, i) => files[(i * 5 + 3) % files.length]);
    const named = new Set<string>();
    let before: Report | null = null;
    let number: number | null = null;
    const expectWhole = async (): Promise<SentResult> => {
      const answer: SentResult = structuredClone(await worker.report(number, signal));
      const report: Report =
        answer.repeated === null || before === null
          ? answer.report
          : withRepeated(answer.report, answer.repeated, before);
      const whole = await worker.report(null, signal);
      assert.deepEqual(report, whole.report);
      [before, number] = [structuredClone(whole.report), whole.number];
      return answer;
    };
    for (const path of files) {
      await worker.load({ path }, signal);
      const { report } = await expectWhole();
      const news = report.runs.flatMap(({ snapshots }) => snapshots.map((one) => one.path));
      for (const one of news) named.add(one);
      assert.ok(news.length <= 8, `${news.length} snapshots are sent for one that is new`);
    }
    assert.equal(named.size, files.length);
    for (const path of shuffled.slice(0, 6)) {
      await worker.unload({ path }, signal);
      await expectWhole();
    }
    for (const path of shuffled.slice(0, 6).reverse()) {
      await worker.load({ path }, signal);
      await expectWhole();
    }
  });

  it('is as small for the last dump of a run as for the third, without stacks of lines that are as before', async () => {
    const worker = newWorker();
    const [path] = picklesUnder(RUNS[0]);
    let number: number | null = null;
    const sizes: number[] = [];
    let hasStacks = true;
    for (let i = 1; i <= 40; i++) {
      const copy = join(folder, basename(path).replace(/\d+(?=\.pickle)/, String(i)));
      copyFileSync(path, copy);
      await worker.load({ path: copy }, signal);
      const answer: SentResult = await worker.report(number, signal);
      ({ number } = answer);
      const { runs } = answer.report;
      hasStacks = runs.some(({ lines }) => lines.some((line) => 'stacks' in line));
      sizes.push(
        JSON.stringify(runs.map(({ snapshots, lines }) => [snapshots, lines.map((line) => line.series)])).length,
      );
    }
    assert.ok(sizes[39] < 2 * sizes[2], sizes.join());
    assert.equal(hasStacks, false);
  });

  it('is whole for who has another one', async () => {
    const worker = newWorker();
    for (const path of picklesUnder(RUNS[0]).slice(0, 3)) await worker.load({ path }, signal);
    const first = await worker.report(null, signal);
    assert.equal((await worker.report(first.number + 7, signal)).repeated, null);
    const third = await worker.report(null, signal);
    assert.notEqual((await worker.report(third.number, signal)).repeated, null);
    assert.equal((await worker.report(first.number, signal)).repeated, null);
  });
});
