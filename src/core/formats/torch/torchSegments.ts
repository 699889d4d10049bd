import { BlockState, NO_INDEX, NO_STACK } from '../../model/snapshot.js';
import { type BlockRow, NO_SEGMENT, type SnapshotBuilder } from '../../model/snapshotBuilder.js';
import { Kind, makeRef, PAYLOAD_BITS, PAYLOAD_MASK, type Ref, type ValueStack } from '../../pickle/values.js';
import type { TorchFrames } from './torchFrames.js';
import type { TorchLabels } from './torchLabels.js';
import type { TorchObject, TorchObjects } from './torchObjects.js';
import { byteCount, checkedPayload, highWord, lowWord, Torch } from './torchValue.js';
import { Word } from './torchWords.js';

/** Segments and their blocks, of all releases. */
export class TorchSegments {
  /** True after a live block without its requested size (releases before 2.0). */
  lacksRequestedSizes = false;

  private readonly block: BlockRow = {
    addrLow: 0,
    addrHigh: 0,
    size: 0,
    requestedSize: 0,
    state: BlockState.Inactive,
    stack: NO_STACK,
    capture: NO_INDEX,
  };

  constructor(
    private readonly builder: SnapshotBuilder,
    private readonly frames: TorchFrames,
    private readonly labels: TorchLabels,
    private readonly objects: TorchObjects,
    private readonly name: string,
  ) {}

  /** A dictionary with a `state`. */
  blockEntry(stack: ValueStack, from: number, to: number): Ref {
    const { ref } = stack;
    const row = this.block;
    row.addrLow = row.addrHigh = 0;
    row.size = row.requestedSize = 0;
    row.state = BlockState.Inactive;
    row.stack = NO_STACK;
    row.capture = NO_INDEX;
    let hasRequestedSize = false;
    let history: TorchObject | undefined;
    for (let i = from; i < to; i += 2) {
      const value = i + 1;
      switch (ref[i] & PAYLOAD_MASK) {
        case Word.address:
          row.addrLow = lowWord(stack, value);
          row.addrHigh = highWord(stack, value);
          break;
        case Word.size:
          row.size = byteCount(stack, value);
          break;
        case Word.requested_size:
          row.requestedSize = byteCount(stack, value);
          hasRequestedSize = true;
          break;
        case Word.state: {
          const state = ref[value] & PAYLOAD_MASK;
          if (state === Word.active_allocated) row.state = BlockState.Allocated;
          else if (state === Word.active_pending_free) row.state = BlockState.PendingFree;
          break;
        }
        case Word.frames:
          row.capture = this.frames.captureOf(ref[value]);
          row.stack = this.frames.stackOf(ref[value]);
          break;
        case Word.history:
          history = this.objects.get(ref[value]);
          break;
      }
    }
    if (row.state !== BlockState.Inactive) {
      // The first life of a live block is its own; those behind it, and all of an inactive one, are over.
      const life =
        history?.type === 'list' && history.items.length > 0 ? this.objects.get(history.items[0]) : undefined;
      if (life?.type === 'history') {
        row.capture = life.capture;
        row.stack = life.stack;
        if (!hasRequestedSize && life.requested !== null) {
          row.requestedSize = life.requested;
          hasRequestedSize = true;
        }
      }
      this.lacksRequestedSizes ||= !hasRequestedSize;
    }
    return makeRef(Torch.Block, checkedPayload(this.builder.addBlock(row), this.name));
  }

  /** A dictionary with a `real_size`: one life of a block, in releases before 2.1. */
  life(stack: ValueStack, from: number, to: number): Ref {
    const { ref } = stack;
    let requested: number | null = null;
    let capture = NO_INDEX;
    let python = NO_STACK;
    let native = NO_STACK;
    for (let i = from; i < to; i += 2) {
      const value = i + 1;
      switch (ref[i] & PAYLOAD_MASK) {
        case Word.real_size:
          requested = byteCount(stack, value);
          break;
        case Word.frames:
          capture = this.frames.captureOf(ref[value]);
          python = this.frames.stackOf(ref[value]);
          break;
        case Word.cpp_frames:
          native = this.frames.nativeStack(ref[value]);
          break;
      }
    }
    return this.objects.add({ type: 'history', capture, stack: this.frames.joinedStack(native, python), requested });
  }

  /** A dictionary with `blocks`. */
  segment(stack: ValueStack, from: number, to: number): Ref {
    const { ref } = stack;
    const row = { ...NO_SEGMENT };
    for (let i = from; i < to; i += 2) {
      const value = i + 1;
      const kind = ref[value] >>> PAYLOAD_BITS;
      const payload = ref[value] & PAYLOAD_MASK;
      switch (ref[i] & PAYLOAD_MASK) {
        case Word.device:
          row.device = Math.trunc(byteCount(stack, value));
          break;
        case Word.address:
          row.addrLow = lowWord(stack, value);
          row.addrHigh = highWord(stack, value);
          break;
        case Word.total_size:
          row.totalSize = byteCount(stack, value);
          break;
        case Word.stream:
          row.stream = this.labels.stream(stack, value);
          break;
        case Word.segment_type:
          row.isSmall = payload === Word.small;
          break;
        case Word.segment_pool_id:
          if (kind === Kind.Text) row.pool = payload;
          break;
        case Word.is_expandable:
          row.isExpandable = kind === Kind.Bool && payload === 1;
          break;
        case Word.frames:
          row.stack = this.frames.stackOf(ref[value]);
          break;
        case Word.blocks: {
          const list = this.objects.get(ref[value]);
          if (list?.type === 'blocks') {
            row.firstBlock = list.first;
            row.blockCount = list.count;
          }
          break;
        }
      }
    }
    return this.objects.add({ type: 'segment', segment: this.builder.addSegment(row) });
  }
}
