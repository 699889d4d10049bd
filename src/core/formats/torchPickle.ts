import type { ByteSource } from '../bytes/byteSource.js';
import { SnapshotError } from '../bytes/snapshotError.js';
import { SnapshotBuilder } from '../model/snapshotBuilder.js';
import type { SpareColumns } from '../model/spareColumns.js';
import { DEFAULT_PICKLE_LIMITS } from '../pickle/pickleLimits.js';
import { PickleMachine } from '../pickle/pickleMachine.js';
import { Forgotten } from '../pickle/recordReader.js';
import { runPickle } from '../pickle/runPickle.js';
import type { Format, ReadContext } from './format.js';
import type { ReadResult } from './readResult.js';
import { EntryReader } from './torch/entryReader.js';
import { KnownEvents } from './torch/knownEvents.js';
import { explained } from './torch/foreignPickle.js';
import { finishTorch } from './torch/torchSnapshot.js';
import { TorchSink } from './torch/torchSink.js';
import { t } from '../text/translate.js';

/** Bytes of a trace entry in recent releases, with its share of stacks: more than this per entry wastes a guess. */
const EVENT_BYTES = 120;

/** Bytes of each object that the writer numbers. */
const SLOT_BYTES = 28;

const PROTO = 0x80;

/** A bare pickle of protocol 2 to 5: `_dump_snapshot`, `_snapshot()`, `memory_snapshot()`, or from the C++ writer. */
export const torchPickle: Format = {
  id: 'pickle',
  sniff: (head) => head.length >= 2 && head[0] === PROTO && head[1] >= 2 && head[1] <= 5,
  read,
};

async function read(source: ByteSource, context: ReadContext): Promise<ReadResult> {
  const { spare } = context;
  try {
    return context.mayTakeEvents === true && spare !== undefined && Number.isFinite(source.size)
      ? await readBeginning(source, context, spare)
      : await readAll(source, context);
  } catch (error) {
    if (!(error instanceof Forgotten)) throw error;
    return readAll(source, context, undefined, false);
  }
}

/** Reads a dump without the events that a later one has shown; all of it where that is not certain. */
async function readBeginning(source: ByteSource, context: ReadContext, spare: SpareColumns): Promise<ReadResult> {
  let known: KnownEvents | undefined;
  try {
    return await readAll(source, context, (machine, sink) => (known = new KnownEvents(source, machine, sink, spare)));
  } catch (error) {
    if (known?.isUsed !== true) throw error;
    return readAll(source, context);
  }
}

async function readAll(
  source: ByteSource,
  context: ReadContext,
  knownTo?: (machine: PickleMachine, sink: TorchSink) => KnownEvents,
  byRecords = true,
): Promise<ReadResult> {
  const size = Number.isFinite(source.size) ? source.size : 0;
  const builder = new SnapshotBuilder(knownTo === undefined ? size / EVENT_BYTES : 0, context.spare?.columns);
  context.onEvents?.(builder.events);
  const sink = new TorchSink(builder, source.name);
  const machine = torchMachine(sink, source.size, byRecords);
  const known = knownTo?.(machine, sink);
  const end = await runPickle(source, machine, known === undefined ? context : { ...context, detour: known.detour })
    .catch(async (error: unknown) => {
      throw SnapshotError.is(error) ? await explained(source, error) : error;
    })
    .finally(() => machine.close());
  await expectNothingBehind(source, end);
  const facts = { format: torchPickle.id, fileBytes: source.size, ...(known?.isUsed === true && { link: known.link }) };
  const snapshot = finishTorch(builder, sink, machine.result, facts);
  return { kind: 'snapshot', snapshot, tookEvents: known?.isUsed === true };
}

/**
 * @param fileBytes of the input, infinite where unknown
 * @param byRecords false to read by the machine alone, after it has thrown {@link Forgotten}
 */
export function torchMachine(sink: TorchSink, fileBytes: number, byRecords = true): PickleMachine {
  const slots = Number.isFinite(fileBytes) ? fileBytes / SLOT_BYTES : 0;
  return new PickleMachine(sink, sink.name, slots, DEFAULT_PICKLE_LIMITS, (stack, memoSlots) => {
    if (!byRecords) return null;
    try {
      return new EntryReader(sink, stack, memoSlots, fileBytes);
    } catch {
      // No WebAssembly, or no memory for it: the machine reads the same in more time.
      return null;
    }
  });
}

const MAX_PADDING = 4096;

/** Padding may follow the end, another pickle or the remains of a longer file may not. */
async function expectNothingBehind(source: ByteSource, end: number): Promise<void> {
  const rest = new Uint8Array(MAX_PADDING);
  let at = end;
  for (;;) {
    const got = await source.read(at, rest);
    if (got === 0) return;
    at += got;
    if (at - end > MAX_PADDING || rest.subarray(0, got).some((byte) => byte !== 0)) {
      throw new SnapshotError(
        'unsupported',
        t(
          '{0} has data after its snapshot, which ends at byte {1}. Write each snapshot into its own file.',
          source.name,
          end,
        ),
      );
    }
  }
}
