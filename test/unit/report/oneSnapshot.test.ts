/** The explanations for one snapshot: ways, equal blocks, part of the pass, memory older than the recording. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { digestSnapshot } from '../../../src/core/digest/digest.js';
import { buildReport } from '../../../src/core/report/buildReport.js';
import type { ReportWorkspace } from '../../../src/core/report/reportWorkspace.js';
import type { PeakReport, RunReport } from '../../../src/core/report/report.js';
import { renderMarkdown } from '../../../src/core/render/renderMarkdown.js';
import { renderText } from '../../../src/core/render/renderText.js';
import { GROWS } from '../../../src/core/verdict/shape.js';
import { readRecording } from '../../../src/node/recordingFile.js';
import { pickle, type Picklable } from '../../support/plainPickle.js';
import { CORPUS, FIXTURES, picklesUnder, readBytes, readFile } from '../../support/snapshots.js';

const KiB = 1024;
const NOWHERE: ReportWorkspace = { files: [], rules: [] };
type Frames = readonly string[];

/** A recording whose leak is nearly all of its peak. */
async function leakingRun(): Promise<RunReport> {
  const files = picklesUnder(join(FIXTURES, 'planted/recordings/aux_loss'));
  const digests = await Promise.all(
    files.map(async (file) => digestSnapshot(file, await readFile(file), await readRecording(file))),
  );
  return buildReport(digests, NOWHERE).report.runs[0];
}

/** `a.py:3 f` as a frame. */
function frame(text: string): { [key: string]: Picklable } {
  const [, filename, line, name] = /^(.+?):(-?\d+) (.+)$/.exec(text) ?? [];
  return { filename, line: Number(line), name };
}

/** A trace of allocations and frees, with what is live at its end as blocks. */
class Trace {
  private readonly entries: { [key: string]: Picklable }[] = [];
  private readonly live = new Map<number, { size: number; frames: { [key: string]: Picklable }[] }>();
  private next = 0x1000;

  /** Blocks that were there before. */
  before(size: number, count: number): number[] {
    return Array.from({ length: count }, () => this.place(size, []));
  }

  alloc(size: number, frames: Frames): number {
    const stack = frames.map(frame);
    const addr = this.place(size, stack);
    this.entries.push({ action: 'alloc', addr, size, stream: 0, frames: stack });
    return addr;
  }

  free(addr: number, frames: Frames): void {
    const size = this.live.get(addr)?.size ?? 0;
    this.live.delete(addr);
    for (const action of ['free_requested', 'free_completed'])
      this.entries.push({ action, addr, size, stream: 0, frames: frames.map(frame) });
  }

  async run(workspace = NOWHERE): Promise<{ run: RunReport; texts: string[] }> {
    const blocks = [...this.live].map(([address, { size, frames }]) => ({
      ...{ address, size, requested_size: size, state: 'active_allocated', frames },
    }));
    const start = 0x1000;
    let at = start;
    const filled = blocks.flatMap((block) => {
      const gap = block.address - at;
      const hole = { address: at, size: gap, state: 'inactive' };
      at = block.address + block.size;
      return gap > 0 ? [hole, block] : [block];
    });
    const segment = { device: 0, address: start, total_size: at - start, stream: 0, blocks: filled };
    const snapshot = await readBytes(pickle({ segments: [segment], device_traces: [this.entries] }));
    const { report } = buildReport([digestSnapshot('a.pickle', snapshot)], workspace);
    const options = { maxLines: 20 };
    return { run: report.runs[0], texts: [renderText(report, options), renderMarkdown(report, options)] };
  }

  private place(size: number, frames: { [key: string]: Picklable }[]): number {
    const addr = this.next;
    this.next += size;
    this.live.set(addr, { size, frames });
    return addr;
  }
}

const TORCH = '/usr/lib/python3/site-packages/torch';
const CALL = [`${TORCH}/nn/modules/module.py:10 _call_impl`, `${TORCH}/nn/modules/module.py:9 _wrapped_call_impl`];
const FORWARD = ['net.py:7 forward', ...CALL, 'train.py:20 main'];
const BACKWARD = [
  `${TORCH}/autograd/graph.py:5 _engine_run_backward`,
  `${TORCH}/_tensor.py:4 backward`,
  'train.py:21 main',
];
const OPTIMIZER = [`${TORCH}/optim/adam.py:3 _multi_tensor_adam`, `${TORCH}/optim/adam.py:2 step`, 'train.py:22 main'];

function peakOf({ peak }: RunReport): PeakReport {
  assert.ok(peak !== null);
  return peak;
}

describe('The report of one snapshot', () => {
  it('tells growth over the passes before the end of the program, which frees all', async () => {
    const [file] = picklesUnder(join(FIXTURES, 'planted/recordings/ended_run')).filter((path) => path.includes('exit'));
    const digest = digestSnapshot(file, await readFile(file), await readRecording(file));
    const [run] = buildReport([digest], NOWHERE).report.runs;
    // Each of the passes keeps 250 KiB, up to the last one.
    assert.deepEqual(run.passes, { count: 5, growthBytes: 2 * 250 * KiB });
    assert.equal(run.snapshots[0].devices[0].liveBytes < 250 * KiB, true);
  });

  it('splits a line by library and caller, and counts equal blocks of one stack', async () => {
    const trace = new Trace();
    const pools = [`${TORCH}/pool.py:3 take`, 'cache.py:5 grow'];
    for (let i = 0; i < 24; i++) trace.alloc(16 * KiB, [...pools, 'serve.py:9 load']);
    for (let i = 0; i < 3; i++) trace.alloc(32 * KiB, [...pools, 'serve.py:11 reload']);
    trace.alloc(64 * KiB, ['cache.py:5 grow', 'serve.py:9 load']);
    const { run, texts } = await trace.run();
    const [line] = peakOf(run).lines;
    assert.deepEqual(
      line.ways.map(({ through, caller, bytes, blocks, equal }) => [
        through?.function,
        caller?.line,
        bytes,
        blocks,
        equal,
      ]),
      [
        ['take', 9, 384 * KiB, 24, { size: 16 * KiB, blocks: 24 }],
        ['take', 11, 96 * KiB, 3, { size: 32 * KiB, blocks: 3 }],
        [undefined, 9, 64 * KiB, 1, { size: 64 * KiB, blocks: 1 }],
      ],
    );
    for (const text of texts) {
      assert.match(text, /cache\.py:5.* 3 ways:/);
      assert.match(
        text,
        /384 KiB \(24 × 16\.0 KiB\) through `?torch\/pool\.py:3 \(take\)`? from `?serve\.py:9 \(load\)`?/,
      );
    }
  });

  it('splits lines into ways that add up, in every recording', async () => {
    for (const file of picklesUnder(join(FIXTURES, 'shapes'))) {
      const { report } = buildReport([digestSnapshot(file, await readFile(file))], NOWHERE);
      for (const { lines, liveBytes } of report.runs[0].peaks) {
        for (const { ways, bytes, blocks } of lines) {
          assert.equal(ways.length > 0, bytes >= liveBytes / 10, file);
          if (ways.length === 0) continue;
          assert.deepEqual(
            ways.reduce(([sum, count], way) => [sum + way.bytes, count + way.blocks], [0, 0]),
            [bytes, blocks],
            file,
          );
          for (const { equal, ...way } of ways) {
            assert.ok(equal.blocks > 0 && equal.blocks <= way.blocks && equal.size * equal.blocks <= way.bytes, file);
          }
        }
      }
    }
  });

  it('names the part of the pass, and the module by its name in the source', async () => {
    const parts: readonly (readonly [PeakReport['phase'], Frames])[] = [
      ['forward', FORWARD],
      ['backward', BACKWARD],
      ['optimizer', OPTIMIZER],
      ['evaluation', [...FORWARD.slice(0, -1), 'train.py:30 evaluate', 'train.py:40 main']],
      ['backward', [...FORWARD.slice(0, 3), ...BACKWARD]],
      [null, ['train.py:2 main']],
    ];
    for (const [phase, frames] of parts) {
      const trace = new Trace();
      trace.alloc(512, frames);
      trace.alloc(4 * KiB, frames);
      assert.equal(peakOf((await trace.run()).run).phase, phase, frames.join());
    }
    const sources: Record<string, string> = {
      'train.py:20': '    loss = model(batch).sum()',
      'net.py:7': '        x = self.blocks[3](self.scale * x)',
      'block.py:4': '        return x + self.attn(x)',
    };
    const trace = new Trace();
    trace.alloc(512, FORWARD);
    trace.alloc(4 * KiB, [
      `${TORCH}/nn/modules/linear.py:1 forward`,
      ...CALL,
      'block.py:4 forward',
      ...CALL,
      ...FORWARD,
    ]);
    const lineText = (file: string, line: number): string | null => sources[`${file}:${line}`] ?? null;
    const { run, texts } = await trace.run({ files: ['train.py', 'net.py', 'block.py'], rules: [], lineText });
    assert.equal(peakOf(run).module, 'blocks[3].attn');
    for (const text of texts) assert.match(text, /in the forward pass.*\n\n.*in module `?blocks\[3\]\.attn/);
    assert.equal(peakOf((await trace.run()).run).module, null, 'without its source');
  });

  it('explains memory before recording by the trace’s frees and by the sizes of the gradients', async () => {
    const trace = new Trace();
    const sizes = [8 * KiB, 8 * KiB, 20 * KiB];
    for (const size of sizes) trace.before(size, 3);
    const graph = trace.before(64 * KiB, 2);
    trace.before(12 * KiB, 1);
    const activation = trace.alloc(32 * KiB, FORWARD);
    const passing = trace.alloc(40 * KiB, BACKWARD);
    for (const size of sizes) trace.alloc(size, BACKWARD);
    for (const addr of [activation, passing]) trace.free(addr, BACKWARD);
    trace.alloc(512, BACKWARD);
    for (const addr of graph) trace.free(addr, ['train.py:20 main']);
    const { run, texts } = await trace.run();
    const { older, buckets } = peakOf(run);
    const [freed, ...others] = older.freed;
    assert.deepEqual([older.parameterBytes, older.stateBytes, others], [36 * KiB, 72 * KiB, []]);
    assert.deepEqual([freed.by?.line, freed.bytes, freed.blocks], [20, 128 * KiB, 2]);
    assert.equal(buckets.beforeRecording, (36 + 72 + 128 + 12) * KiB);
    for (const text of texts) {
      assert.match(
        text,
        /parameters 36\.0 KiB, optimizer state 72\.0 KiB\. The gradients in the trace have these sizes\./,
      );
      assert.match(text, /10 blocks are never freed in the trace: 3 × 20\.0 KiB, 6 × 8\.0 KiB/);
      assert.match(text, /128 KiB are freed later, most of it at `?train\.py:20 \(main\)/);
    }
  });

  it('takes what an optimizer’s step frees for its state, and what zero_grad frees for gradients', async () => {
    const ZERO_GRAD = [`${TORCH}/optim/optimizer.py:9 zero_grad`, 'train.py:23 main'];
    const olderAt = async (frees: Frames): Promise<readonly number[]> => {
      const trace = new Trace();
      trace.before(8 * KiB, 4);
      const freed = trace.before(8 * KiB, 4);
      trace.alloc(64 * KiB, FORWARD);
      for (let i = 0; i < 4; i++) trace.alloc(8 * KiB, BACKWARD);
      for (const addr of freed) trace.free(addr, frees);
      const { parameterBytes, stateBytes, gradientBytes } = peakOf((await trace.run()).run).older;
      return [parameterBytes, stateBytes, gradientBytes];
    };
    assert.deepEqual(await olderAt(OPTIMIZER), [32 * KiB, 32 * KiB, 0]);
    assert.deepEqual(await olderAt(ZERO_GRAD), [32 * KiB, 0, 32 * KiB]);
  });

  it('takes no sizes for parameters that most gradients do not have', async () => {
    const trace = new Trace();
    trace.before(8 * KiB, 9);
    trace.alloc(32 * KiB, FORWARD);
    for (const size of [8, 24, 36]) trace.alloc(size * KiB, BACKWARD);
    const { run, texts } = await trace.run();
    const { parameterBytes, stateBytes, held } = peakOf(run).older;
    assert.deepEqual([parameterBytes, stateBytes, held], [0, 0, { bytes: 72 * KiB, blocks: 9 }]);
    for (const text of texts) assert.match(text, /9 blocks are never freed in the trace: 9 × 8\.0 KiB\./);
  });

  it('tells autocast’s copies of the weights by its frame, never more than there are weights', async () => {
    const cast = (frames: Frames): Frames => ['??:-1 at::autocast::cached_cast(c10::ScalarType)', ...frames];
    const trace = new Trace();
    trace.before(64 * KiB, 4);
    trace.before(16 * KiB, 8);
    const copies = [32, 32, 32, 32, ...Array<number>(8).fill(8)].map((size) => trace.alloc(size * KiB, cast(FORWARD)));
    // Inputs are cast as well: of no weight's size, or of one that has its copy already.
    for (const size of [24, 32]) trace.free(trace.alloc(size * KiB, cast(FORWARD)), FORWARD);
    // An activation has the size of a copy by chance.
    trace.alloc(32 * KiB, ['??:-1 at::_ops::mm::call(at::Tensor const&)', ...FORWARD]);
    for (const addr of copies) trace.free(addr, FORWARD);
    const { run, texts } = await trace.run();
    const { categories, older, advice } = peakOf(run);
    const bytesOf = (category: string): number => categories.find((one) => one.category === category)?.bytes ?? 0;
    assert.equal(bytesOf('weightCopies'), 192 * KiB);
    assert.equal(bytesOf('activations'), 32 * KiB);
    assert.deepEqual([older.evidence, older.parameterBytes], ['weightCopies', 384 * KiB]);
    assert.match(
      advice.join(),
      /copies of the weights hold 192 KiB: load the weights in bfloat16, or pass `cache_enab/,
    );
    for (const text of texts)
      assert.match(text, /parameters 384 KiB\. Autocast’s copies in the trace have half of these sizes\./);
  });

  it('tells autocast’s copies without C++ frames only if all weights have them', async () => {
    const weights = new Trace();
    weights.before(64 * KiB, 4);
    weights.before(16 * KiB, 8);
    const copiesOf = async (sizes: readonly number[]): Promise<number> => {
      const trace = Object.assign(new Trace(), structuredClone(weights));
      for (const size of sizes) trace.alloc(size * KiB, FORWARD);
      trace.alloc(512, FORWARD);
      const { categories } = peakOf((await trace.run()).run);
      return categories.find(({ category }) => category === 'weightCopies')?.bytes ?? 0;
    };
    const eights = Array<number>(8).fill(8);
    assert.equal(await copiesOf([32, 32, 32, 32, ...eights]), 192 * KiB);
    assert.equal(await copiesOf([32, 32, 32, 32, 32, ...eights]), 0, 'five activations, and four weights');
    assert.equal(await copiesOf([32, 32, 32, 32, 8]), 0, 'most weights of one size have no copy');
    assert.equal(await copiesOf([32, 32, 32, 32]), 0, 'one size alone is chance');
  });

  it('separates what the backward pass frees itself from gradients, and names the node of autograd', async () => {
    const node = (name: string): Frames => [
      '??:-1 at::_ops::mul::call(at::Tensor const&)',
      `??:-1 torch::autograd::generated::${name}::apply(std::vector<at::Tensor>&&)`,
      '??:-1 torch::autograd::Engine::thread_main()',
    ];
    const trace = new Trace();
    trace.alloc(8 * KiB, FORWARD);
    const passing = [1, 2].map(() => trace.alloc(64 * KiB, node('DivBackward0')));
    trace.alloc(16 * KiB, node('MmBackward0'));
    for (const addr of passing) trace.free(addr, node('DivBackward0'));
    trace.alloc(512, node('MmBackward0'));
    const { run, texts } = await trace.run();
    const { categories, libraries, buckets } = peakOf(run);
    const bytesOf = (category: string): number => categories.find((one) => one.category === category)?.bytes ?? 0;
    assert.deepEqual([bytesOf('backward'), bytesOf('gradients')], [128 * KiB, 16 * KiB]);
    assert.deepEqual(libraries, [
      { name: 'DivBackward0', bytes: 128 * KiB, blocks: 2 },
      { name: 'MmBackward0', bytes: 16 * KiB, blocks: 1 },
    ]);
    assert.equal(buckets.library, 144 * KiB);
    for (const text of texts) assert.match(text, /Largest: 128 KiB `?DivBackward0`? \(library\)/);
  });

  it('recognizes the activations of the pass before, which the next one replaces', async () => {
    const trace = new Trace();
    const before = [4, 8, 16].flatMap((size) => trace.before(size * KiB, 6));
    for (const size of [4, 8, 16]) for (let i = 0; i < 6; i++) trace.alloc(size * KiB, FORWARD);
    for (const addr of before) trace.free(addr, ['train.py:20 main']);
    const { run } = await trace.run();
    const { older, advice } = peakOf(run);
    assert.equal(older.activationBytes, 168 * KiB);
    assert.match(
      advice.join('\n'),
      /previous pass \(168 KiB\) stay live until `train\.py:20 \(main\)` replaces its result/,
    );
  });

  it('says that one pass does not make thousands of equal blocks, unless a model has them', async () => {
    const trace = new Trace();
    for (let i = 0; i < 1200; i++) trace.alloc(4 * KiB, ['cache.py:5 grow', 'serve.py:9 main']);
    for (const text of (await trace.run()).texts) {
      assert.match(text, /: one pass does not make 1,200 equal blocks: look for what collects them\./);
    }
    const model = new Trace();
    for (let i = 0; i < 1200; i++) model.alloc(4 * KiB, [`${TORCH}/nn/modules/module.py:1 to`, 'serve.py:9 main']);
    for (const text of (await model.run()).texts) assert.doesNotMatch(text, /One pass/);
  });

  it('leaves the memory of findings out of its advice on the peak', async () => {
    const run = await leakingRun();
    assert.ok(GROWS.has(run.verdict), run.verdict);
    assert.doesNotMatch(run.peaks.flatMap(({ advice }) => advice).join(), /Activations hold/);
  });

  it('advises on the optimizer’s copies, not on workspaces of libraries, and on inference only without a backward pass', async () => {
    const copies = new Trace();
    for (let i = 0; i < 4; i++) copies.free(copies.alloc(64 * KiB, OPTIMIZER), OPTIMIZER);
    copies.free(copies.alloc(256 * KiB, OPTIMIZER), OPTIMIZER);
    copies.alloc(512, FORWARD);
    assert.match(peakOf((await copies.run()).run).advice.join(), /works on copies of 256 KiB/);
    const library = new Trace();
    library.alloc(512, FORWARD);
    library.alloc(256 * KiB, ['??:1 getCUDABlasWorkspace', ...FORWARD]);
    assert.deepEqual(peakOf((await library.run()).run).advice, []);
    const forward = new Trace();
    for (let i = 0; i < 12; i++) forward.alloc(64 * KiB, FORWARD);
    assert.match(peakOf((await forward.run()).run).advice.join(), /no backward pass follows/);
    forward.alloc(512, BACKWARD);
    assert.doesNotMatch(peakOf((await forward.run()).run).advice.join(), /no backward pass follows/);
  });

  it('prints the folder of all files once below its first line if the workspace has none of the files', async () => {
    const trace = new Trace();
    trace.alloc(8 * KiB, ['/home/you/project/net/a.py:1 f']);
    trace.alloc(4 * KiB, ['/home/you/project/b.py:2 g']);
    trace.alloc(512, ['/home/you/project/net/a.py:9 h']);
    const { texts } = await trace.run();
    for (const text of texts) {
      const below = text.split('\n').slice(1).join('\n');
      assert.equal(below.split('/home/you/project/').length, 2, text);
      assert.match(text, /8\.0 KiB .*net\/a\.py:1 \(f\)/);
      assert.match(text, /The files are in `?\/home\/you\/project\/`?\./);
    }
  });

  it('explains published snapshots', async function () {
    const real = join(CORPUS, 'real');
    if (!existsSync(real)) {
      console.log('    skipped: no ../shared/corpus/real beside the checkout');
      this.skip();
    }
    const textsOf = async (path: string): Promise<string[]> => {
      const file = join(real, path);
      const { report } = buildReport([digestSnapshot(file, await readFile(file))], NOWHERE);
      return [renderText(report, { maxLines: 20 }), renderMarkdown(report, { maxLines: 20 })];
    };
    const step =
      'LINYUNLinYun+CS336-assignment2-systems/cs336_systems/results/memory_profiles/xl_ctx128_full_step_none.pickle';
    const [full] = await textsOf(step);
    assert.match(full, /Peak of device 0: 64\.0 GiB in the optimizer’s step\./);
    assert.match(
      full,
      /parameters 12\.8 GiB, optimizer state 25\.6 GiB\. The gradients in the trace have these sizes\./,
    );
    assert.match(full, /96 × 100 MiB from one stack, through torch\/optim\/adam\.py:791 \(_multi_tensor_adam\)/);
    for (const text of await textsOf('volcengine+verl/mem.pickle')) {
      assert.match(text, /:114`?: 24 × 866 MiB from one stack, through `?vllm\/worker\/cache_engine\.py:83 \(_alloc/);
    }
    // No backward pass follows, so nothing is kept for one.
    const forward = 'bolongcheng+assignment2-systems/benchmarks/memory_snapshot_xl_fwd_cl512_dtypetorch.float32.pickle';
    for (const text of await textsOf(forward)) {
      assert.match(text, /Activations hold 26\.9 GiB, and no backward pass follows/);
      assert.doesNotMatch(text, /kept for the backward pass/);
    }
    const [ranOut] = await textsOf('Nesta-gitU+discrete_diffusion/memory_snapshot.json');
    assert.match(ranOut, /Requested in the forward pass, called from \S+dit\.py:249/);
    assert.match(ranOut, /6\.6 GiB \(9 × 384 MiB\) through timm\/models\/vision_transformer\.py:93 \(forward\)/);
  });
});
