import type { ByteSource } from '../bytes/byteSource.js';
import { sliceSource } from '../bytes/sliceSource.js';
import { SnapshotError } from '../bytes/snapshotError.js';
import { PickleMachine } from '../pickle/pickleMachine.js';
import type { PickleSink } from '../pickle/pickleSink.js';
import { runPickle } from '../pickle/runPickle.js';
import { Kind, makeRef, OPAQUE_REF } from '../pickle/values.js';
import type { Format, ReadContext } from './format.js';
import { wrapResult, type ReadResult } from './readResult.js';
import { checkpoint } from './torch/foreignPickle.js';

/** LONG1 of ten bytes: 0x1950a86a20f9469cfc6c, a pickle of its own that `torch.save` writes in front. */
const MAGIC = [0x8a, 0x0a, 0x6c, 0xfc, 0x9c, 0x46, 0xf9, 0x20, 0x6a, 0xa8, 0x50, 0x19, 0x2e];
const PROTO = 0x80;
/** The opcode before the length of a writer's buffer, from protocol 4 on. */
const FRAME = 0x95;
const FRAME_BYTES = 9;

/** Magic, version, facts about the system; then comes the object, and behind it a list of storages. */
const PICKLES_BEFORE = 3;

/** `torch.save` before 1.6, or with `_use_new_zipfile_serialization=False`: five pickles in a row. */
export const torchSaveLegacy: Format = {
  id: 'torchSaveLegacy',
  // The first bytes of the magic distinguish it from a snapshot, whose pickle starts with a container.
  sniff: (head) => {
    const from = head[2] === FRAME ? 2 + FRAME_BYTES : 2;
    const isPickle = head[0] === PROTO && head[1] >= 2 && head[1] <= 5 && head.length >= from + 2;
    return isPickle && MAGIC.every((byte, i) => from + i >= head.length || head[from + i] === byte);
  },
  read,
};

/** Accepts everything and stores nothing. */
const NOTHING: PickleSink = {
  text: () => 0,
  setItems: () => makeRef(Kind.EmptyDict, 0),
  appendItems: () => makeRef(Kind.EmptyList, 0),
  tuple: () => OPAQUE_REF,
};

async function read(source: ByteSource, context: ReadContext): Promise<ReadResult> {
  const skip = async (offset: number): Promise<number> =>
    runPickle(source, new PickleMachine(NOTHING, source.name), { ...context, offset });
  let start = 0;
  for (let i = 0; i < PICKLES_BEFORE; i++) start = await skip(start);
  const end = await skip(start).catch((error: unknown) => {
    // Tensors and modules are made by calls; a snapshot has neither.
    throw SnapshotError.is(error, 'forbidden') ? checkpoint(source, null) : error;
  });
  await skip(end);
  const result = await context.readInner(sliceSource(source, start, end - start));
  return wrapResult(result, torchSaveLegacy.id, source.size);
}
