/** The worker thread: owns the models, answers questions. All its input comes through its parent's port. */
import { totalmem } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import { useTranslations } from '../core/text/translate.js';
import { ProofFile } from '../node/proofFile.js';
import { readerVersion } from '../node/snapshotCache.js';
import { startThread } from '../node/thread.js';
import { isRpcMessage, RpcServer } from '../protocol/rpc.js';
import type { WorkerApi, WorkerEvents, WorkerStart } from '../protocol/workerApi.js';
import { workerHandlers } from './handlers.js';
import type { ReaderStart } from './readerApi.js';
import { ReaderPool } from './readerPool.js';
import { SnapshotReading } from './snapshotReading.js';
import { SnapshotStore } from './snapshotStore.js';
import { WorkspaceFiles } from './workspaceFiles.js';

const port = parentPort;
if (port === null) throw new Error('leakline: worker.cjs runs as a worker thread only');

const { readerScript, readers, reading: settings, translations } = workerData as WorkerStart;
useTranslations(translations);
const readerStart: ReaderStart = { translations };
// Columns take a third of a file, and twice that while they grow.
const pool = new ReaderPool(() => startThread(readerScript, 'leakline reader', readerStart), {
  readers,
  maxBytes: Math.min(totalmem(), process.constrainedMemory() || Infinity) / 4,
});
const reading = new SnapshotReading(
  (...request) => pool.read(...request),
  settings,
  readerVersion(readerScript, translations),
);

const server: RpcServer<WorkerApi, WorkerEvents> = new RpcServer<WorkerApi, WorkerEvents>(
  workerHandlers(
    new SnapshotStore(reading),
    reading,
    new WorkspaceFiles(),
    (progress) => {
      server.notify('progress', progress);
    },
    new ProofFile(() => reading.cacheSettings, readerVersion(__filename, translations)),
  ),
  (message) => {
    port.postMessage(message);
  },
);

port.on('message', (message: unknown) => {
  if (isRpcMessage(message)) void server.receive(message);
});
