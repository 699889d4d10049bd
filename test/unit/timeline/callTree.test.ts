import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { serialize } from 'node:v8';
import { CALL_GROUPS, livePaths } from '../../../src/core/timeline/callPaths.js';
import { callTree, MAX_CALLS, type FocusedTree } from '../../../src/core/timeline/callTree.js';
import { deviceTotals } from '../../../src/core/digest/digest.js';
import { frameKind } from '../../../src/core/attribution/frameKind.js';
import { deviceHistory, type DeviceHistory } from '../../../src/core/model/history.js';
import { stacklessRows } from '../../../src/core/attribution/stackless.js';
import type { Snapshot } from '../../../src/core/model/snapshot.js';
import type { Flame } from '../../../src/protocol/flameData.js';
import { workerHandlers } from '../../../src/worker/handlers.js';
import { SnapshotStore } from '../../../src/worker/snapshotStore.js';
import { WorkspaceFiles } from '../../../src/worker/workspaceFiles.js';
import { pickle } from '../../support/plainPickle.js';
import { readingHere } from '../../support/readingHere.js';
import { everyNth } from '../../support/sample.js';
import { seededRandom } from '../../support/seededRandom.js';
import { CORPUS, FIXTURES, hasCorpus, picklesUnder, readBytes, readFile } from '../../support/snapshots.js';
import { TrainingRun } from '../../support/trainingRun.js';
import { newFolder, removeCopies } from '../../support/workspaces.js';

const noWorkspace = (): null => null;
const always = (): boolean => true;

/** Sums by path, each path as its calls joined, by looking at every allocation and every frame. */
interface Truth {
  bytes: Map<string, number>;
  blocks: Map<string, number>;
  /** Bytes of what ends there. */
  self: Map<string, number>;
}

function bruteForce(snapshot: Snapshot, history: DeviceHistory, event: number, folded: boolean): Truth {
  const { frames, stacks, strings } = snapshot;
  const { birth, death, bytes, stack, forwardStack, count } = history.allocations;
  const stackless = stacklessRows(snapshot, history);
  const group = (name: (typeof CALL_GROUPS)[number]): number => frames.count + CALL_GROUPS.indexOf(name);
  const truth: Truth = { bytes: new Map(), blocks: new Map(), self: new Map() };
  const add = (map: Map<string, number>, key: string, value: number): void => {
    map.set(key, (map.get(key) ?? 0) + value);
  };
  const pathOf = (of: number): number[] => {
    const all = [...stacks.frames.subarray(stacks.offset[of], stacks.offset[of + 1])].reverse();
    if (!folded || all.length === 0) return all;
    const own = all.filter((frame) => frameKind(strings.text(frames.file[frame])) === 'user');
    return own.length === 0 ? [group('anyLibrary')] : own;
  };
  for (let row = 0; row < count; row++) {
    if (!(birth[row] <= event && event < death[row])) continue;
    let path = pathOf(stack[row]);
    if (path.length === 0 && pathOf(forwardStack[row]).length > 0) {
      path = [group('backward'), ...pathOf(forwardStack[row])];
    }
    if (path.length === 0) path = [group(stackless(row))];
    for (let depth = 0; depth <= path.length; depth++) {
      const key = path.slice(0, depth).join('/');
      add(truth.bytes, key, bytes[row]);
      add(truth.blocks, key, 1);
    }
    add(truth.self, path.join('/'), bytes[row]);
  }
  return truth;
}

/** Every row against the truth; what is merged against what is missing. */
function check({ tree, focus }: FocusedTree, truth: Truth, at: string): void {
  const root = focus.map(({ call }) => call).join('/');
  const keys = [root];
  const below = new Float64Array(tree.bytes.length);
  const listed = new Set(keys);
  for (let row = 1; row < tree.bytes.length; row++) {
    const parent = tree.parent[row];
    assert.ok(parent < row, `${at}: a row stands below its parent`);
    below[parent] += tree.bytes[row];
    keys.push(tree.merged[row] > 0 ? '' : [keys[parent], tree.call[row]].filter((part) => part !== '').join('/'));
    if (tree.merged[row] === 0) listed.add(keys[row]);
  }
  for (let row = 0; row < tree.bytes.length; row++) {
    assert.equal(tree.self[row] + below[row], tree.bytes[row], `${at}: row ${row} is itself and what is below`);
    if (tree.merged[row] === 0) {
      assert.equal(tree.bytes[row], truth.bytes.get(keys[row]) ?? 0, `${at}: ${keys[row]}`);
      assert.equal(tree.blocks[row], truth.blocks.get(keys[row]) ?? 0, `${at}: blocks of ${keys[row]}`);
      assert.equal(tree.self[row], keys[row] === '' ? 0 : (truth.self.get(keys[row]) ?? 0), `${at}: self`);
    } else {
      const parent = keys[tree.parent[row]];
      const missing = childrenOf(truth, parent).filter((key) => !listed.has(key));
      const sum = missing.reduce((bytes, key) => bytes + (truth.bytes.get(key) ?? 0), 0);
      assert.deepEqual([tree.merged[row], tree.bytes[row]], [missing.length, sum], `${at}: merged below ${parent}`);
    }
  }
  for (const { call, bytes } of focus) assert.ok(truth.bytes.get(root)! <= bytes, `${at}: ${call} holds what is below`);
}

function childrenOf(truth: Truth, parent: string): string[] {
  const depth = parent === '' ? 1 : parent.split('/').length + 1;
  const start = parent === '' ? '' : `${parent}/`;
  return [...truth.bytes.keys()].filter(
    (key) => key !== '' && key.startsWith(start) && key.split('/').length === depth,
  );
}

describe('Live memory by call', () => {
  after(removeCopies);

  it('equals the sum over all paths, at every level, instant, fold and focus', async () => {
    const random = seededRandom(3);
    const files = [...picklesUnder(join(FIXTURES, 'shapes'))];
    if (hasCorpus())
      files.push(
        ...picklesUnder(CORPUS)
          .filter((file) => !/t11[23]|_list/.test(file))
          .slice(0, 12),
      );
    let focused = 0;
    for (const file of everyNth(files, 2)) {
      const snapshot = await readFile(file);
      for (const { device } of deviceTotals(snapshot)) {
        const history = deviceHistory(snapshot, device);
        const { count } = history.trace;
        for (const event of new Set([-1, count - 1, random(count + 1) - 1])) {
          for (const folded of [false, true]) {
            const at = `${basename(file)} after ${event}${folded ? ', folded' : ''}`;
            const truth = bruteForce(snapshot, history, event, folded);
            const paths = livePaths(snapshot, history, event, folded, noWorkspace);
            const whole = callTree(paths, { focus: [], pixels: 50 + random(2000), admits: always });
            assert.equal(whole.tree.bytes[0], history.live[event + 1], at);
            check(whole, truth, at);
            const deep = [...truth.self.keys()].at(random(Math.max(1, truth.self.size)));
            if (deep === undefined) continue;
            const calls = deep.split('/').map(Number);
            const focus = calls.slice(0, 1 + random(calls.length));
            const close = callTree(paths, { focus, pixels: 300, admits: always });
            assert.deepEqual(
              close.focus.map(({ call }) => call),
              focus,
              at,
            );
            check(close, truth, `${at}, focused`);
            focused++;
          }
        }
      }
    }
    assert.ok(focused > 40, `${focused} focused`);
  });

  it('returns the existing part of the focus', async () => {
    const run = new TrainingRun();
    run.allocate(4096, [frame('inner.py', 2), frame('outer.py', 1)]);
    const snapshot = await readBytes(run.dump());
    const history = deviceHistory(snapshot, 0);
    const paths = livePaths(snapshot, history, history.trace.count - 1, true, noWorkspace);
    const [outer, inner] = paths.calls;
    const ids = (focus: readonly number[]): number[] =>
      callTree(paths, { focus, pixels: 100, admits: always }).focus.map(({ call }) => call);
    assert.deepEqual(ids([outer, inner]), [outer, inner]);
    assert.deepEqual(ids([outer, 999, inner]), [outer]);
    assert.deepEqual(ids([inner]), []);
    assert.deepEqual(ids([outer, inner, inner]), [outer, inner]);
  });

  it('puts memory of the backward pass under the frames of the forward pass', async () => {
    const alloc = {
      action: 'alloc',
      addr: 512,
      size: 1024,
      stream: 0,
      time_us: 5,
      frames: [],
      forward_frames: ['  File "train.py", line 3, in main\n    run()\n', '  File "model.py", line 7, in forward\n'],
    };
    const block = { address: 512, size: 1024, requested_size: 1024, state: 'active_allocated', frames: [] };
    const segment = { device: 0, address: 512, total_size: 2048, stream: 0, segment_type: 'small', blocks: [block] };
    const snapshot = await readBytes(
      pickle({ segments: [segment], device_traces: [[alloc]], allocator_settings: {}, external_annotations: [] }),
    );
    const history = deviceHistory(snapshot, 0);
    const { frames, strings } = snapshot;
    const { count, calls, bytes } = livePaths(snapshot, history, 0, true, noWorkspace);
    assert.deepEqual([count, bytes[0]], [1, 1024]);
    assert.equal(calls[0], frames.count + CALL_GROUPS.indexOf('backward'));
    assert.deepEqual(
      [...calls.subarray(1)].map((call) => strings.text(frames.file[call])),
      ['train.py', 'model.py'],
    );
  });

  it('is a small answer of a small part of a large snapshot, exact all the same', async () => {
    const path = join(newFolder(), 'many_step_1.pickle');
    const run = new TrainingRun();
    // More calls than there is room for, with longer names than there is room for.
    const long = 'ж'.repeat(300);
    for (let i = 0; i < 6000; i++) {
      const depth = 1 + (i % 9);
      run.allocate(
        512 * (1 + (i % 7)),
        Array.from({ length: depth }, (_, d) => frame(`${long}${i % (d + 40)}.py`, i)),
      );
    }
    writeFileSync(path, run.dump());
    const reading = readingHere();
    const worker = workerHandlers(new SnapshotStore(reading), reading, new WorkspaceFiles(), () => undefined);
    const { signal } = new AbortController();
    await worker.load({ path }, signal);
    const ask = async (focus: readonly number[]): Promise<Flame> =>
      worker.flame({ path, device: 0, event: 1e9, over: null, folded: false, focus, pixels: 16_384 }, signal);
    const flame = await ask([]);
    const size = serialize(flame).byteLength;
    assert.ok(size < 200_000, `${size} bytes`);
    assert.ok(flame.calls.length <= MAX_CALLS);
    assert.equal(flame.tree.bytes[0], flame.liveBytes);
    assert.ok(flame.tree.merged.some((count) => count > 0));
    const row = flame.tree.call.findIndex((_, at) => at > 0 && flame.tree.merged[at] === 0);
    const { id } = flame.calls[flame.tree.call[row]];
    const close = await ask([id]);
    assert.deepEqual(close.focus, [{ call: close.focus[0].call, bytes: flame.tree.bytes[row] }]);
    assert.equal(close.calls[close.focus[0].call].id, id);
    assert.equal(close.tree.bytes[0], flame.tree.bytes[row]);
    const absurd = await ask(Array.from({ length: 512 }, (_, i) => (i + 1) * 1e12));
    assert.deepEqual(absurd.focus, []);
  });
});

function frame(filename: string, line: number): { filename: string; line: number; name: string } {
  return { filename, line, name: `at_${line}` };
}
