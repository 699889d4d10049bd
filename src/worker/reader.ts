/** A reader thread: reads files and transfers their columns. A hostile file may kill it. */
import { parentPort, workerData } from 'node:worker_threads';
import { useTranslations } from '../core/text/translate.js';
import { readerVersion, SnapshotCache } from '../node/snapshotCache.js';
import { isRpcMessage, RpcServer, type RpcMessage } from '../protocol/rpc.js';
import type { FileReading, ReaderApi, ReaderEvents, ReaderStart } from './readerApi.js';
import { readSnapshotFile } from './readSnapshotFile.js';

const port = parentPort;
if (port === null) throw new Error('leakline: reader.cjs runs as a worker thread only');

const { translations } = (workerData as ReaderStart | null) ?? { translations: {} };
useTranslations(translations);
const version = readerVersion(__filename, translations);

const server: RpcServer<ReaderApi, ReaderEvents> = new RpcServer<ReaderApi, ReaderEvents>(
  {
    read: (request, signal) => {
      const cache = request.cache === null ? null : new SnapshotCache(request.cache, version);
      return readSnapshotFile(request, cache, signal, (progress) => {
        server.notify('progress', { path: request.path, ...progress });
      });
    },
  },
  (message) => {
    port.postMessage(message, buffersOf(message));
  },
);

port.on('message', (message: unknown) => {
  if (isRpcMessage(message)) void server.receive(message);
});

/** Columns change their owner instead of being copied. */
function buffersOf(message: RpcMessage): ArrayBuffer[] {
  if (message.kind !== 'result') return [];
  const reading = message.value as FileReading;
  if (reading.kind === 'other') return [];
  const { packed } = reading;
  return [...new Set(Object.values(packed.columns).map(({ buffer }) => buffer as ArrayBuffer))];
}
