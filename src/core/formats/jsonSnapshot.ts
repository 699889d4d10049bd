import type { ByteSource } from '../bytes/byteSource.js';
import { SnapshotBuilder } from '../model/snapshotBuilder.js';
import type { ReadContext } from './format.js';
import { JsonMachine } from './json/jsonMachine.js';
import { JsonToSink } from './json/jsonToSink.js';
import { runJson } from './json/runJson.js';
import type { ReadResult } from './readResult.js';
import { finishTorch } from './torch/torchSnapshot.js';
import { TorchSink } from './torch/torchSink.js';

/**
 * A snapshot, or its list of segments, written as JSON: read by the same sink as a pickle, exact beyond 2^53.
 * @throws SnapshotError
 */
export async function readJsonSnapshot(source: ByteSource, context: ReadContext): Promise<ReadResult> {
  const builder = new SnapshotBuilder();
  const sink = new TorchSink(builder, source.name);
  const driver = new JsonToSink(sink);
  await runJson(source, new JsonMachine(driver, source.name), context.chunkSize);
  const facts = { format: 'json', fileBytes: source.size };
  return { kind: 'snapshot', snapshot: finishTorch(builder, sink, driver.result, facts) };
}
