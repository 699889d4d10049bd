import { open, stat } from 'node:fs/promises';
import { sidecarState } from '../../node/recordingFile.js';
import { FileLanes } from '../../node/fileLanes.js';
import type { IntakeFiles } from './ports.js';

/** Two lanes leave two file threads of the process to all other work. */
const lanes = new FileLanes(2, 5_000);

/** The intake's view of the real disk. */
export const diskFiles: IntakeFiles = {
  stamp: (path) =>
    lanes.ask(async () => {
      try {
        const stats = await stat(path);
        if (!stats.isFile()) return null;
        const sidecar = await sidecarState(path);
        const beside = sidecar === null ? '' : [sidecar.size, sidecar.mtimeMs, sidecar.inode].join(' ');
        return { size: stats.size, mtimeMs: stats.mtimeMs, ino: stats.ino, beside };
      } catch {
        return null;
      }
    }),

  ends: (path, size) =>
    lanes.ask(async () => {
      try {
        const handle = await open(path, 'r');
        try {
          const byte = new Uint8Array(2);
          const head = await handle.read(byte, 0, 1, 0);
          const tail = await handle.read(byte, 1, 1, size - 1);
          return head.bytesRead === 1 && tail.bytesRead === 1 ? { first: byte[0], last: byte[1] } : null;
        } finally {
          await handle.close();
        }
      } catch {
        return null; // the reader will say why
      }
    }),
};
