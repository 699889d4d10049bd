/**
 * Makes a snapshot file as torch 2.13 dumps it: `node makeSnapshot.mjs EVENTS DEPTH FILE [DIALECT]`. The bytes are those
 * that CPython's pickler would write, unless another dialect is requested: what is one object in PyTorch is one object here (frames, the lists of a call's
 * frames, keys), and what is not is not (equal stacks of two calls).
 *
 * Or the dumps of one process whose ring keeps its last events: `node makeSnapshot.mjs EVENTS DEPTH FILE DIALECT LAST DUMPS
 * [KEPT]`. Each is about EVENTS later than the previous one, at the end of a step; their names are FILE with the dump's
 * number for `%`. The program keeps at most KEPT of the blocks that leak otherwise.
 */
import { renameSync, writeFileSync } from 'node:fs';
import { PickleStream, type Dialect, type MemoSlot } from './pickleStream.js';
import { EventKind, historyUntil, trainingHistory, type History, type Slab } from './trainingHistory.js';

const STACKS = 2000;
/** Distinct frames below the innermost ones, which every stack has for itself. */
const COMMON_FRAMES = 306;
const FIRST_US = 1_760_000_000_000_000;
const ACTIONS: Readonly<Record<EventKind, string>> = {
  [EventKind.Alloc]: 'alloc',
  [EventKind.FreeRequested]: 'free_requested',
  [EventKind.FreeCompleted]: 'free_completed',
  [EventKind.SegmentAlloc]: 'segment_alloc',
};

/** The contents that a reader must find in the file. */
export interface Truth {
  events: number;
  liveBytes: number;
  bytes: number;
}

/** @param last so many events are in the ring */
function makeSnapshot(history: History, depth: number, path: string, dialect: Dialect, last: number): void {
  const writer = new SnapshotWriter(history, depth, new PickleStream(`${path}.part`, dialect), last);
  writer.write();
  const truth: Truth = {
    events: Math.min(last, history.count),
    liveBytes: writer.liveBytes,
    bytes: writer.stream.bytes,
  };
  writeFileSync(`${path}.json`, JSON.stringify(truth));
  renameSync(`${path}.part`, path);
}

class SnapshotWriter {
  liveBytes = 0;
  /** The first event that is in the ring. */
  private readonly first: number;
  private readonly frameSlots = new Int32Array(STACKS + COMMON_FRAMES).fill(-1);
  private readonly contextSlots: Int32Array;
  private noFrames: MemoSlot = -1;

  constructor(
    private readonly history: History,
    private readonly depth: number,
    readonly stream: PickleStream,
    last: number,
  ) {
    this.first = Math.max(0, history.count - last);
    this.contextSlots = new Int32Array(history.contextStack.length).fill(-1);
  }

  write(): void {
    const { stream, history } = this;
    stream.dict(() => {
      stream.sharedText('segments');
      stream.list(history.slabs.length, (index) => {
        this.segment(history.slabs[index]);
      });
      stream.sharedText('device_traces');
      stream.list(1, () => {
        stream.list(history.count - this.first, (event) => {
          this.event(this.first + event);
        });
      });
      stream.sharedText('allocator_settings');
      this.settings();
      stream.sharedText('external_annotations');
      const steps = history.stepStarts.findIndex((start) => start >= this.first);
      stream.list(steps === -1 ? 0 : 2 * (history.stepStarts.length - steps), (index) => {
        this.annotation(2 * steps + index);
      });
    });
    stream.stop();
  }

  private segment(slab: Slab): void {
    const { stream, history } = this;
    const starts = Array.from({ length: slab.slots }, (_, i) => slab.address + i * slab.slot);
    const active = starts.filter((address) => history.live.has(address)).length * slab.slot;
    const requested = starts.reduce((sum, address) => sum + (history.live.get(address)?.requested ?? 0), 0);
    const rest = slab.bytes - slab.slots * slab.slot;
    this.liveBytes += active;
    stream.dict(() => {
      this.number('device', 0);
      this.number('address', slab.address);
      this.number('total_size', slab.bytes);
      this.number('allocated_size', active);
      this.number('active_size', active);
      this.number('requested_size', requested);
      this.number('stream', 0);
      this.text('segment_type', slab.small ? 'small' : 'large');
      stream.sharedText('segment_pool_id');
      stream.pair(0, 0);
      stream.sharedText('is_expandable');
      stream.bool(false);
      stream.sharedText('blocks');
      stream.list(slab.slots + (rest > 0 ? 1 : 0), (index) => {
        const address = slab.address + index * slab.slot;
        this.block(address, index < slab.slots ? slab.slot : rest);
      });
      stream.sharedText('frames');
      this.frames(slab.context);
    });
  }

  private block(address: number, size: number): void {
    const { stream, history } = this;
    const live = history.live.get(address);
    stream.dict(() => {
      this.number('address', address);
      this.number('size', size);
      this.number('requested_size', live?.requested ?? 0);
      this.text('state', live === undefined ? 'inactive' : 'active_allocated');
      stream.sharedText('frames');
      if (live !== undefined) this.frames(live.context);
      else if (this.noFrames === -1) this.noFrames = stream.list(0, () => undefined, true);
      else stream.get(this.noFrames);
    });
  }

  private event(event: number): void {
    const { stream, history } = this;
    stream.dict(() => {
      this.text('action', ACTIONS[history.kind[event] as EventKind]);
      this.number('addr', history.address[event]);
      this.number('size', history.size[event]);
      this.number('stream', 0);
      this.number('time_us', FIRST_US + event * 11);
      stream.sharedText('compile_context');
      stream.freshText('N/A');
      this.text('user_metadata', '');
      stream.sharedText('pool_id');
      stream.pair(0, 0);
      stream.sharedText('frames');
      this.frames(history.context[event]);
    });
  }

  /** The list of a call's frames: written at its first mention. */
  private frames(context: number): void {
    const { stream, history } = this;
    const slot = this.contextSlots[context];
    if (slot !== -1) {
      stream.get(slot);
      return;
    }
    const stack = history.contextStack[context];
    // The innermost frame is the stack's own, the outermost four are everybody's, the others are drawn from the stack.
    let draw = (stack + 1) * 2654435761;
    const item = (index: number): void => {
      draw = (Math.imul(draw, 1664525) + 1013904223) >>> 0;
      if (index === 0) this.frame(stack);
      else if (index >= this.depth - 4) this.frame(STACKS + this.depth - 1 - index);
      else this.frame(STACKS + 4 + (draw % (COMMON_FRAMES - 4)));
    };
    this.contextSlots[context] = stream.list(stack === -1 ? 0 : this.depth, item, true);
  }

  private frame(frame: number): void {
    const { stream } = this;
    if (this.frameSlots[frame] !== -1) {
      stream.get(this.frameSlots[frame]);
      return;
    }
    const own = frame < STACKS;
    const library = !own && frame % 3 > 0;
    this.frameSlots[frame] = stream.dict(() => {
      stream.sharedText('name');
      stream.freshText(own ? `op_${frame % 97}` : library ? '_call_impl' : `block_${frame}`);
      stream.sharedText('filename');
      stream.freshText(
        own
          ? `/workspace/train/model/ops_${frame % 53}.py`
          : library
            ? `/opt/conda/lib/python3.11/site-packages/torch/nn/modules/module_${frame % 12}.py`
            : `/workspace/train/model/layer${frame % 40}.py`,
      );
      this.number('line', 10 + frame);
    }, true);
  }

  private annotation(index: number): void {
    const { stream, history } = this;
    const step = Math.floor(index / 2);
    const event = history.stepStarts.at(step + (index % 2)) ?? history.count - 1;
    stream.dict(() => {
      this.text('stage', index % 2 === 0 ? 'START' : 'END');
      stream.sharedText('name');
      stream.freshText(`ProfilerStep#${step}`);
      this.number('device', 0);
      this.number('time_us', FIRST_US + event * 11);
    });
  }

  private settings(): void {
    const { stream } = this;
    stream.dict(() => {
      this.text('PYTORCH_CUDA_ALLOC_CONF', '');
      this.number('max_split_size', -1);
      stream.sharedText('garbage_collection_threshold');
      stream.float(0);
      stream.sharedText('expandable_segments');
      stream.bool(false);
    });
  }

  private number(key: string, value: number): void {
    this.stream.sharedText(key);
    this.stream.int(value);
  }

  private text(key: string, value: string): void {
    this.stream.sharedText(key);
    this.stream.sharedText(value);
  }
}

const [events, depth, path, dialect = 'protocol4', last = 'Infinity', dumps = '1', kept = 'Infinity'] =
  process.argv.slice(2);
const whole = trainingHistory(Number(events) * Number(dumps), STACKS, Number(kept));
for (let dump = 1; dump <= Number(dumps); dump++) {
  // A program dumps between two steps.
  const end = whole.stepStarts.findLast((start) => start <= Number(events) * dump);
  const history = Number(dumps) === 1 ? whole : historyUntil(whole, end ?? whole.count);
  makeSnapshot(history, Number(depth), path.replace('%', String(dump)), dialect as Dialect, Number(last));
}
