import type { ByteSource } from '../bytes/byteSource.js';
import { SnapshotError } from '../bytes/snapshotError.js';
import type { Snapshot } from '../model/snapshot.js';
import { SnapshotBuilder } from '../model/snapshotBuilder.js';
import { PickleMachine } from '../pickle/pickleMachine.js';
import { runPickle } from '../pickle/runPickle.js';
import type { Format, ReadOptions } from './format.js';
import { TorchSink } from './torchSink.js';

const PROTO = 0x80;

/**
 * `torch.cuda.memory._dump_snapshot(path)`, or a pickled `_snapshot()`: a bare pickle of protocol 2 to 5 with
 * `segments` and `device_traces`. PyTorch 2.1 to 2.13.
 */
export const torchPickle: Format = {
  id: 'pickle',
  sniff: (head) => head.length >= 2 && head[0] === PROTO && head[1] >= 2 && head[1] <= 5,
  read,
};

async function read(source: ByteSource, options: ReadOptions): Promise<Snapshot> {
  const builder = new SnapshotBuilder();
  const sink = new TorchSink(builder, source.name);
  const machine = new PickleMachine(sink, source.name);
  const end = await runPickle(source, machine, options);
  await expectNothingBehind(source, end);
  const { order, traces, settings } = sink.top(machine.result);
  return builder.finish({ format: torchPickle.id, fileBytes: source.size, traces, order, settings, warnings: [] });
}

/** Padding may follow the end, another pickle or the remains of a longer file may not. */
async function expectNothingBehind(source: ByteSource, end: number): Promise<void> {
  const rest = new Uint8Array(Math.min(source.size - end, 4096));
  const got = rest.length === 0 ? 0 : await source.read(end, rest);
  if (source.size - end > rest.length || rest.subarray(0, got).some((byte) => byte !== 0)) {
    throw new SnapshotError(
      'unsupported',
      `${source.name} goes on for ${source.size - end} bytes behind its snapshot. Dump each snapshot into a file of its own.`,
    );
  }
}
