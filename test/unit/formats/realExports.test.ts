/** Files of the installed PyTorch: needs an interpreter with CPU PyTorch in LEAKLINE_TORCH_PYTHON. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cycleChains } from '../../../src/core/verdict/cycleChains.js';
import { SnapshotError } from '../../../src/core/bytes/snapshotError.js';
import { readInput } from '../../../src/core/formats/readSnapshot.js';
import type { ReadResult } from '../../../src/core/formats/readResult.js';
import { bytesSource } from '../../support/bytesSource.js';
import { compareWithPython } from '../../support/columns.js';

const torch = process.env['LEAKLINE_TORCH_PYTHON'] ?? '';

describe('Files of this PyTorch', () => {
  let folder = '';

  before(function () {
    if (torch === '') {
      console.log('    skipped: no interpreter with PyTorch in LEAKLINE_TORCH_PYTHON');
      this.skip();
    }
    folder = mkdtempSync(join(tmpdir(), 'leakline-exports-'));
    const script = fileURLToPath(new URL('exportAll.py', import.meta.url));
    execFileSync(torch, [script, folder], { stdio: 'ignore' });
  });

  after(() => {
    if (folder !== '') rmSync(folder, { recursive: true });
  });

  const read = (name: string): Promise<ReadResult> => readInput(bytesSource(name, readFileSync(join(folder, name))));
  const lastRow = async (name: string): Promise<Record<string, number | undefined>> => {
    const result = await read(name);
    assert.equal(result.kind, 'trend', name);
    return Object.fromEntries(result.trend.series.map((series) => [series.name, series.bytes.at(-1)]));
  };

  it('are curves that end alike, in each form that has numbers', async () => {
    const plain = await lastRow('timeline.json');
    // A layer of 64 by 64, its bias, and Adam's two moments with their two counters.
    const parameters = 4 * (64 * 64 + 64);
    assert.deepEqual([plain['parameter'], plain['gradient']], [parameters, parameters]);
    assert.equal(plain['optimizer_state'], 2 * parameters + 2 * 4);
    assert.deepEqual(await lastRow('timeline.json.gz'), plain);
    assert.deepEqual(await lastRow('timeline.raw.json.gz'), plain);
  });

  it('are the numbers of memory_stats() in the table of memory_summary(), by device and round', async () => {
    const result = await read('memory_summary.txt');
    assert.equal(result.kind, 'trend');
    const { count, series, warnings } = result.trend;
    assert.deepEqual([count, series.length], [3, 10]);
    const exact = await lastRow('memory_stats.json');
    for (const { name, device, bytes } of series) {
      const said = exact[name] ?? Number.NaN;
      // The table is rounded down to KiB.
      for (const value of bytes) assert.ok(value <= said && value > said - 1024, `${name} of device ${device}`);
    }
    assert.match(warnings[0].message, /rounded down to KiB: log/);
  });

  it('with a model or arrays are reported by their kind, and none of their code runs', async () => {
    const said = async (name: string): Promise<string> => {
      const error: unknown = await read(name).then(
        () => null,
        (reason: unknown) => reason,
      );
      assert.ok(SnapshotError.is(error), name);
      return `${error.reason}: ${error.message}`;
    };
    for (const name of ['weights.pt', 'weights_legacy.pt', 'checkpoint.pth', 'module.pt', 'module.pickle']) {
      assert.match(
        await said(name),
        /^notASnapshot: .* is a saved model or checkpoint( \(torch\.nn\..*\))?, not a memory snapshot\. Choose /,
      );
    }
    assert.match(
      await said('numpy.pickle'),
      /^forbidden: .* contains NumPy values \(numpy\.[\w.]+ at byte \d+\), .*_dump_snapshot\.$/,
    );
  });

  it('are snapshots with the sums that Python finds in them', async () => {
    await compareWithPython([join(folder, 'profile.pickle'), join(folder, 'chrome.json')]);
  });

  it('are the cycle that held a tensor, and its allocating line', async () => {
    for (const name of ['cycle.html', 'cycle.dot']) {
      const result = await read(name);
      assert.equal(result.kind, 'cycles', name);
      const [chain] = cycleChains(result.cycles);
      assert.deepEqual(
        chain.cycle.map((node) => result.cycles.nodes[node].label),
        ['[Tensor,list]'],
      );
      const made = chain.frames.find((frame) => frame.function === 'leak_in_a_cycle');
      assert.equal(made !== undefined, name === 'cycle.html');
      if (made !== undefined) assert.match(made.file, /exportAll\.py$/);
    }
  });
});
