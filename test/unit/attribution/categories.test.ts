import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CATEGORIES, CategoryCode } from '../../../src/core/attribution/categories/category.js';
import { livedRow } from '../../../src/core/attribution/categories/categorizer.js';
import { deviceViews } from '../../../src/core/attribution/deviceViews.js';
import { digestSnapshot } from '../../../src/core/digest/digest.js';
import { stackFrames } from '../../../src/core/attribution/ownerTally.js';
import { findSteps } from '../../../src/core/attribution/steps/steps.js';
import { BlockState, type Snapshot } from '../../../src/core/model/snapshot.js';
import { BatchLines } from '../../../src/core/report/lines/batchLines.js';
import { SourceFiles } from '../../../src/node/sourceFiles.js';
import { everyNth } from '../../support/sample.js';
import { CORPUS, FIXTURES, hasCorpus, picklesUnder, readFile } from '../../support/snapshots.js';

const FOLDER = join(FIXTURES, 'categories');
/** Memory that is gone at the end of a pass, when the recordings were dumped. */
const OF_A_PASS: ReadonlySet<string> = new Set(['workspace', 'backward', 'weightCopies']);

/** The category of every live block, by its address. */
function categoriesOf(snapshot: Snapshot): Map<string, { category: string; bytes: number }> {
  const { blocks, segments } = snapshot;
  const views = deviceViews(snapshot, findSteps(snapshot));
  const files = (recorded: string): string | null => (recorded.includes('/categories/') ? basename(recorded) : null);
  const { lineText } = new SourceFiles([{ prefix: '', folder: FOLDER }]);
  const batches = new BatchLines({ files: [], rules: [], lineText }, files);
  const found = new Map<string, { category: string; bytes: number }>();
  for (let block = 0; block < blocks.count; block++) {
    if (blocks.state[block] === BlockState.Inactive) continue;
    const view = views.get(segments.device[blocks.segment[block]]);
    assert.ok(view !== undefined);
    const { atEnd } = view.history.allocations;
    const code = view.categorizer.of(livedRow(view.history, atEnd.rows[atEnd.blocks.indexOf(block)]));
    const address = (BigInt(blocks.addrHigh[block]) << 32n) | BigInt(blocks.addrLow[block]);
    const settled = batches.settle(code, stackFrames(snapshot, blocks.stack[block]));
    found.set(String(address), { category: CATEGORIES[settled], bytes: blocks.size[block] });
  }
  return found;
}

function basename(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

describe('The category of memory', () => {
  it('is the program’s own category for nearly every byte, and never a wrong one', async () => {
    const named = new Map<string, { right: number; wrong: number; missed: number }>();
    let all = 0;
    let right = 0;
    for (const name of readdirSync(FOLDER).filter((file) => file.endsWith('.pickle.gz'))) {
      const truth = JSON.parse(readFileSync(join(FOLDER, name.replace('.pickle.gz', '.truth.json')), 'utf8')) as Record<
        string,
        string
      >;
      const found = categoriesOf(await readFile(join(FOLDER, name)));
      assert.deepEqual([...found.keys()].sort(), Object.keys(truth).sort(), name);
      for (const [address, { category, bytes }] of found) {
        const tally = named.get(truth[address]) ?? { right: 0, wrong: 0, missed: 0 };
        named.set(truth[address], tally);
        all += bytes;
        if (category === truth[address]) {
          tally.right += bytes;
          right += bytes;
        } else if (category === 'other') tally.missed += bytes;
        else tally.wrong += bytes;
      }
    }
    console.log(`    ${right} of ${all} bytes right (${((100 * right) / all).toFixed(2)} %)`);
    for (const [category, { right: good, wrong, missed }] of named) {
      console.log(`      ${category}: ${good} right, ${missed} left open, ${wrong} wrong`);
      assert.equal(wrong, 0, category);
    }
    assert.deepEqual(
      [...named.keys()].sort(),
      CATEGORIES.filter((category) => !OF_A_PASS.has(category)).sort(),
      'every category is tried',
    );
    assert.ok(right / all > 0.98);
  });

  it('adds up to the live bytes, and at the peak to the peak', async () => {
    const files = [
      ...picklesUnder(join(FIXTURES, 'shapes')),
      ...picklesUnder(join(FIXTURES, 'recordings')),
      join(FIXTURES, 'profiler/profile_to_snapshot.pickle.gz'),
      join(FIXTURES, 'profiler/chrome_trace.json.gz'),
    ];
    if (hasCorpus()) files.push(...picklesUnder(join(CORPUS, 'recorded_on_gpu')));
    else console.log('    without the corpus: it is not beside the checkout');
    for (const file of everyNth(files, 4)) {
      const digest = digestSnapshot(file, await readFile(file));
      for (const group of digest.groups) {
        assert.equal(
          group.categories.reduce((sum, bytes) => sum + bytes, 0),
          group.liveBytes,
          file,
        );
      }
      for (const { groups, liveBytes } of digest.peaks) {
        assert.equal(
          groups.reduce((sum, group) => sum + group.bytes, 0),
          liveBytes,
          file,
        );
      }
    }
  });

  it('is the profiler’s where a profile has one', async () => {
    const snapshot = await readFile(join(FIXTURES, 'profiler/profile_to_snapshot.pickle.gz'));
    const said = new Map<string, number>();
    const { blocks, strings } = snapshot;
    for (let block = 0; block < blocks.count; block++) {
      if (blocks.state[block] === BlockState.Inactive) continue;
      const word = strings.text(blocks.category?.[block] ?? 0);
      said.set(word, (said.get(word) ?? 0) + blocks.size[block]);
    }
    const codes = new Float64Array(CATEGORIES.length + 1);
    for (const group of digestSnapshot('x', snapshot).groups) group.categories.forEach((b, i) => (codes[i] += b));
    assert.ok((said.get('parameter') ?? 0) > 0);
    assert.equal(codes[CategoryCode.Parameters], said.get('parameter'));
    assert.equal(codes[CategoryCode.OptimizerState], said.get('optimizer_state'));
  });

  it('separates gradients, weights and workspaces in real GPU recordings', async function () {
    if (!hasCorpus()) {
      console.log('    skipped: no corpus beside the checkout');
      this.skip();
    }
    const peakOf = async (name: string): Promise<Float64Array> => {
      const file = join(CORPUS, 'recorded_on_gpu', name);
      const sums = new Float64Array(CATEGORIES.length + 1);
      for (const group of digestSnapshot(file, await readFile(file)).peaks.at(0)?.groups ?? []) {
        sums[group.category] += group.bytes;
      }
      return sums;
    };
    // 3.2 billion parameters in float32: as many bytes of gradients, and as many that a foreach Adam works in.
    const step = await peakOf('full_train_step_bf16_torch2_11.pickle');
    assert.equal(step[CategoryCode.Gradients], 13_713_582_080);
    // With the two workspaces of cuBLAS that are older than the trace.
    assert.equal(step[CategoryCode.Workspace], 13_627_238_400 + 2 * 8_519_680);
    // The weights and two states of AdamW are older than the trace: their sizes are those of the gradients.
    const older = step[CategoryCode.Parameters] + step[CategoryCode.OptimizerState] + step[CategoryCode.Other];
    assert.equal(older, 41_034_610_688 - 2 * 8_519_680);
    assert.ok(step[CategoryCode.OptimizerState] > 1.99 * step[CategoryCode.Parameters]);
    assert.ok(step[CategoryCode.Other] < 1 << 20, String(step[CategoryCode.Other]));
    const forward = await peakOf('windows_backslash_paths.pickle');
    assert.ok(forward[CategoryCode.Activations] > 0.8 * 13_927_832_064, 'a forward pass is at its end');
  });
});
