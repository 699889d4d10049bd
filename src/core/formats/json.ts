import type { ByteSource } from '../bytes/byteSource.js';
import { readFully } from '../bytes/readFully.js';
import { SnapshotError } from '../bytes/snapshotError.js';
import { readChromeTrace } from './chromeTrace.js';
import type { Format, ReadContext } from './format.js';
import { SnapshotBuilder } from '../model/snapshotBuilder.js';
import { JsonMachine } from './json/jsonMachine.js';
import { jsonShape, type JsonShape } from './json/jsonShape.js';
import { JsonElements } from './json/jsonValues.js';
import { JsonToSink } from './json/jsonToSink.js';
import { runJson } from './json/runJson.js';
import { readMemoryStats } from './memoryStats.js';
import { readMemoryTimeline, readRawTimeline } from './memoryTimeline.js';
import type { ReadResult } from './readResult.js';
import { firstCharacter } from './text/eachLine.js';
import { finishTorch } from './torch/torchSnapshot.js';
import { TorchSink } from './torch/torchSink.js';
import { t } from '../text/translate.js';

type JsonReader = (source: ByteSource, context: ReadContext) => Promise<ReadResult>;

const READERS: Readonly<Partial<Record<JsonShape, JsonReader>>> = {
  snapshot: readJsonSnapshot,
  chromeTrace: (source, context) => readChromeTrace(source, context, false),
  chromeEvents: (source, context) => readChromeTrace(source, context, true),
  memoryTimeline: readMemoryTimeline,
  rawTimeline: readRawTimeline,
  memoryStats: readMemoryStats,
};

/** Metadata in front of a trace's events can be long. */
const HEAD_BYTES = 1 << 16;

/** JSON of several kinds, distinguished by the keys and lists that it begins with. */
export const json: Format = {
  id: 'json',
  sniff: (head) => ['{', '['].includes(firstCharacter(head)),
  read,
};

async function read(source: ByteSource, context: ReadContext): Promise<ReadResult> {
  const head = await readFully(source, 0, Math.min(HEAD_BYTES, source.size));
  const start = head[0] === 0xef ? 3 : 0;
  const reader = READERS[jsonShape(head.subarray(start))];
  if (reader !== undefined) return reader(source, context);
  if (head.length < HEAD_BYTES) {
    // Too little to know: perhaps all of it is not there yet.
    const nothing = new JsonElements(0, () => undefined);
    await runJson(source, new JsonMachine(nothing, source.name, true), context.chunkSize);
  }
  throw new SnapshotError(
    'notASnapshot',
    t(
      '{0} is JSON, but no memory snapshot (it has no segments) and nothing else that Leakline knows. ' +
        'Choose a file made by torch.cuda.memory._dump_snapshot.',
      source.name,
    ),
  );
}

/**
 * A snapshot, or its list of segments, as JSON. The pickle's sink reads it, exactly beyond 2^53. @throws SnapshotError
 */
async function readJsonSnapshot(source: ByteSource, context: ReadContext): Promise<ReadResult> {
  const builder = new SnapshotBuilder();
  const sink = new TorchSink(builder, source.name);
  const driver = new JsonToSink(sink);
  await runJson(source, new JsonMachine(driver, source.name), context.chunkSize);
  const facts = { format: 'json', fileBytes: source.size };
  return { kind: 'snapshot', snapshot: finishTorch(builder, sink, driver.result, facts) };
}
