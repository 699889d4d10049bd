/** The worker thread: owns the models, answers questions. Everything it is told comes through its parent's port. */
import { parentPort } from 'node:worker_threads';
import { isRpcMessage, RpcServer } from '../protocol/rpc.js';
import type { WorkerApi, WorkerEvents } from '../protocol/workerApi.js';
import { workerHandlers } from './handlers.js';
import { SnapshotStore } from './snapshotStore.js';
import { WorkspaceFiles } from './workspaceFiles.js';

const port = parentPort;
if (port === null) throw new Error('leakline: worker.cjs runs as a worker thread only');

const server: RpcServer<WorkerApi, WorkerEvents> = new RpcServer<WorkerApi, WorkerEvents>(
  workerHandlers(new SnapshotStore(), new WorkspaceFiles(), (path, fraction) => {
    server.notify('progress', { path, fraction });
  }),
  (message) => {
    port.postMessage(message);
  },
);

port.on('message', (message: unknown) => {
  if (isRpcMessage(message)) void server.receive(message);
});
