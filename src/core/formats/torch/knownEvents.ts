import type { ByteSource } from '../../bytes/byteSource.js';
import { readFully } from '../../bytes/readFully.js';
import type { Snapshot } from '../../model/snapshot.js';
import type { SpareColumns } from '../../model/spareColumns.js';
import { opcodeEnd } from '../../pickle/opcodeEnd.js';
import { Op } from '../../pickle/opcodes.js';
import type { PickleMachine } from '../../pickle/pickleMachine.js';
import type { Detour } from '../../pickle/runPickle.js';
import { Kind, PAYLOAD_BITS, PAYLOAD_MASK } from '../../pickle/values.js';
import type { TorchSink } from './torchSink.js';
import { Torch } from './torchValue.js';
import { readTraceTail } from './traceTail.js';

/** The end of a file in which the last entries are looked for. */
const TAIL_BYTES = 1 << 20;
/** A detour that leaves out less is not worth its way. */
const MIN_BYTES = 1 << 20;
/** Pieces after the first entries at whose end no entry begins. */
const MAX_ASKED = 4;

/** Leaves out the entries of a trace that a later dump of the process has, and takes its rows. */
export class KnownEvents {
  /** True if entries were left out. */
  isUsed = false;
  private asked = 0;

  constructor(
    private readonly source: ByteSource,
    private readonly machine: PickleMachine,
    private readonly sink: TorchSink,
    private readonly spare: SpareColumns,
  ) {}

  /** See `RunOptions.detour`. */
  readonly detour = async (rest: Uint8Array, offset: number): Promise<Detour | null | undefined> => {
    const { machine, sink, spare, source } = this;
    const { events } = sink.builder;
    if (events.length === 0) return undefined;
    const from = source.size - TAIL_BYTES;
    if (from - offset < MIN_BYTES || !spare.beginsAlike) return null;
    const key = keyOf(rest);
    const { top } = machine;
    if (key === null || top >>> PAYLOAD_BITS !== Torch.Event || (top & PAYLOAD_MASK) !== events.length - 1)
      return ++this.asked < MAX_ASKED ? undefined : null;
    const bytes = await readFully(source, from, TAIL_BYTES);
    const tail = readTraceTail(bytes, key, {
      memoized: machine.memoized,
      wordOf: (slot) => {
        const value = machine.memoAt(slot);
        return value >>> PAYLOAD_BITS === Kind.Text ? value & PAYLOAD_MASK : null;
      },
    });
    const end = tail === null ? null : spare.endOf(tail);
    if (tail === null || end === null) return null;
    this.isUsed = true;
    // The list ends here, with all its events.
    machine.run(Uint8Array.of(Op.Appends), 0, 1, offset);
    spare.forgetStacks(events.length, end);
    sink.addKnownEvents(end - events.length);
    events.setTime(end - 1, tail.timeUs[tail.timeUs.length - 1]);
    return { source: sourceOfEnd(source, from + tail.behind, tail.rest), offset: from + tail.behind };
  };

  /** Sets the allocating events of the live blocks. @throws Contradiction */
  readonly link = (snapshot: Snapshot): void => {
    if (!this.spare.link(snapshot)) throw new Contradiction();
  };
}

/** The live blocks contradict the events that were taken: these are of another process. */
class Contradiction extends Error {}

/** MARK and the reference to the first key of the entry that begins here; null if none does. */
function keyOf(rest: Uint8Array): Uint8Array | null {
  if (rest[0] !== Op.EmptyDict) return null;
  // Most writers number the entry before.
  const mark = rest[1] === Op.Mark ? 1 : opcodeEnd(rest, 1);
  const isKey = rest[mark + 1] === Op.LongBinGet || rest[mark + 1] === Op.BinGet;
  return rest[mark] === Op.Mark && isKey ? rest.slice(mark, opcodeEnd(rest, mark + 1)) : null;
}

/** The last bytes of a file, in place of its own. */
function sourceOfEnd({ name, size, unfolding }: ByteSource, from: number, bytes: Uint8Array): ByteSource {
  return {
    name,
    size,
    unfolding,
    read: (offset, into) => {
      const piece = bytes.subarray(offset - from, offset - from + into.length);
      into.set(piece);
      return Promise.resolve(piece.length);
    },
  };
}
